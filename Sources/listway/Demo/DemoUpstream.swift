import EventLoop
import Gateway
import HTTPSemantics

/// A list API to try Listway on: deterministic, in the process, with faults that can be switched.
///
/// | path | answers |
/// | --- | --- |
/// | `/notices?page=&pageSize=` | 2,037 notices: `{"code":0,"message":"ok","data":{"data":[…],"page":1,"pageCount":102}}` |
/// | `/categories` | nine of them, unpaged: `[{"id":1,"name":"…"},…]` |
/// | `/users?category_id=&page=&per_page=` | 311 users in each of 9 categories: `{"list":[…],"total":311}` |
///
/// Confined to its loop.
final class DemoUpstream: RequestHandler {
  /// What the upstream does in place of answering as it should. `down` is the server's business: it does not listen.
  enum Fault: String, CaseIterable {
    case none
    case slow
    case down
    case error = "500"
    case html
    case refused
  }

  static let noticeCount = 2_037
  static let userCount = 311
  static let categories = 1...9
  static let slowness = Duration.seconds(3)

  var fault = Fault.none
  private let loop: EventLoop

  init(loop: EventLoop) { self.loop = loop }

  func handle(_ exchange: any Exchange) {
    switch fault {
    case .none, .down: answer(exchange)
    case .slow:
      loop.schedule(at: .now + Self.slowness) { [self] in answer(exchange) }
    case .error:
      respond(
        to: exchange, status: 500, type: "application/json",
        #"{"error":"switched on at the demo's faults port"}"#)
    case .html:
      respond(
        to: exchange, status: 200, type: "text/html",
        "<html><body><h1>Down for maintenance</h1></body></html>")
    case .refused:
      respond(
        to: exchange, status: 200, type: "application/json",
        #"{"code":1001,"message":"Your subscription has ended.","data":null}"#)
    }
  }

  private func answer(_ exchange: any Exchange) {
    guard let target = try? Target(parsing: exchange.target.span), target.segmentCount == 1 else {
      return respond(
        to: exchange, status: 404, type: "application/json", #"{"code":404,"message":"no such list"}"#)
    }
    let page = number(target, "page", otherwise: 1)
    switch String(decoding: target.segment(0), as: UTF8.self) {
    case "notices":
      let size = min(100, number(target, "pageSize", otherwise: 20))
      let items = rows(of: Self.noticeCount, page: page, size: size).map(Self.notice).joined(separator: ",")
      let pageCount = (Self.noticeCount + size - 1) / size
      respond(
        to: exchange, status: 200, type: "application/json",
        #"{"code":0,"message":"ok","data":{"data":[\#(items)],"page":\#(page),"pageCount":\#(pageCount)}}"#)
    case "categories":
      let items = Self.categories.map { #"{"id":\#($0),"name":"Category \#($0)"}"# }
      respond(to: exchange, status: 200, type: "application/json", "[\(items.joined(separator: ","))]")
    case "users":
      let category = number(target, "category_id", otherwise: 0)
      guard Self.categories.contains(category) else {
        return respond(
          to: exchange, status: 200, type: "application/json",
          #"{"code":1002,"message":"There is no category \#(category).","list":null}"#)
      }
      let size = min(100, number(target, "per_page", otherwise: 50))
      let items = rows(of: Self.userCount, page: page, size: size).map { Self.user($0, category: category) }
      respond(
        to: exchange, status: 200, type: "application/json",
        #"{"list":[\#(items.joined(separator: ","))],"total":\#(Self.userCount)}"#)
    default:
      respond(to: exchange, status: 404, type: "application/json", #"{"code":404,"message":"no such list"}"#)
    }
  }

  /// A whole number of at least 1 in the query.
  private func number(_ target: Target, _ name: StaticString, otherwise: Int) -> Int {
    guard let value = target.only(name), let number = Int(String(decoding: value, as: UTF8.self)) else {
      return otherwise
    }
    return min(max(1, number), 1_000_000)
  }

  private func rows(of count: Int, page: Int, size: Int) -> Range<Int> {
    let start = min(count, (page - 1) * size)
    return start..<min(count, start + size)
  }

  private static let verbs = [
    "moved", "approved", "paid", "commented on", "closed", "reopened", "shared", "renamed",
  ]
  private static let things = [
    "invoice", "order", "shipment", "ticket", "contract", "report", "账单", "offer ☕️",
  ]

  /// Ids beyond 2^53 and amounts with a zero at the end: what a decode and encode would spoil.
  private static func notice(_ row: Int) -> String {
    let verb = verbs[row % verbs.count]
    let thing = things[row / 3 % things.count]
    return #"{"id":\#(9_007_199_254_740_993 + row),"title":"Somebody \#(verb) \#(thing) \#(row)","#
      + #""amount":\#(row * 7 % 1_000).\#(row % 10)0,"read":\#(row % 3 == 0),"created_at":\#(1_790_000_000 - row * 61)}"#
  }

  private static func user(_ row: Int, category: Int) -> String {
    #"{"uid":"\#(category)\#(100_000 + row)","screen_name":"user \#(row) of category \#(category)","#
      + #""fans_count":"\#(row * 37 % 9_000)","is_follow":\#(row % 2)}"#
  }

  private func respond(to exchange: any Exchange, status: Int, type: String, _ content: String) {
    var fields = Fields()
    fields.append(.contentType, type)
    exchange.respond(Response(status: status, fields: fields, content: [.bytes(Array(content.utf8))]))
  }
}
