import Configuration
import Gateway
import HTTPSemantics
import JSON
import Paging

/// Looks whether the page behind the first one comes as a configured list says.
struct SecondPage {
  enum Verdict {
    /// It came, with other items.
    case seen(String)
    /// The first page came again.
    case same(String)
    case nothingFollows
    case unknown(String)
  }

  private let list: Configuration.List
  private let url: BaseURL
  private let parser: Parser
  private let timeout: Duration

  init(list: Configuration.List, url: BaseURL, parser: Parser, timeout: Duration) {
    self.list = list
    self.url = url
    self.parser = parser
    self.timeout = timeout
  }

  /// - Parameters:
  ///   - response: the first page.
  ///   - asked: the path and query that it was asked for by.
  ///   - isWanted: whether a request may be made.
  func look(behind response: TransportResponse, asked: [UInt8], isWanted: Bool) throws -> Verdict {
    if list.recognition != nil { return .nothingFollows }
    let first: Page
    do throws(PageFault) {
      first = try page(of: response, target: asked)
    } catch {
      return .same("the answer is not read by what was recognised of it: \(error)")
    }
    var walk = Walk(plan: list.plan, from: nil, limit: first.items.count + 1)
    walk.receive(first)
    guard case .fetch(let request) = walk.next() else { return .nothingFollows }
    guard isWanted else { return .unknown("no second page was asked for") }
    let renderer = RequestRenderer(template: list.request, url: url, holdsPaging: false)
    let rendered = try renderer.render(request, with: Arguments([]))
    let shown = "\(rendered.method.name) \(String(decoding: rendered.url, as: UTF8.self))"
    let outcome = try Fetch.run(
      rendered.method, String(decoding: rendered.url, as: UTF8.self), rendered.fields, rendered.content,
      timeout: timeout)
    switch outcome {
    case .failure(let failure):
      return .unknown("the second page did not come: \(shown): \(failure.kind.rawValue): \(failure.detail)")
    case .success(let answer):
      guard (200...299).contains(answer.status) else {
        return .unknown(
          "the second page did not come: \(shown) answers \(answer.status)\(Probe.excerpt(answer.body))")
      }
      do throws(PageFault) {
        return compare(first, try page(of: answer, target: rendered.target), shown)
      } catch {
        return .unknown("the second page is none: \(shown): \(error)")
      }
    }
  }

  private func page(of response: TransportResponse, target: [UInt8]) throws(PageFault) -> Page {
    try Normaliser(plan: list.plan).page(
      ofBody: response.body, parser: parser, status: response.status, fields: response.fields, target: target)
  }

  private func compare(_ first: Page, _ second: Page, _ shown: String) -> Verdict {
    if second.rawCount == 0 { return .unknown("the second page (\(shown)) is empty") }
    let seen = Set(first.items.map { Self.mark($0, of: first) })
    let fresh = second.items.filter { !seen.contains(Self.mark($0, of: second)) }
    if fresh.isEmpty { return .same("the second page (\(shown)) holds nothing but items of the first") }
    let count = "\(second.rawCount) \(second.rawCount == 1 ? "item" : "items")"
    return .seen("the second page (\(shown)) has \(count), \(fresh.count) of them not on the first")
  }

  /// What tells an item: its id, or else its bytes.
  private static func mark(_ item: Page.Item, of page: Page) -> [UInt8] {
    item.id == 0 ? page.body[item.range] : Array(String(item.id).utf8)
  }
}
