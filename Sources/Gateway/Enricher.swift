import Configuration
import EventLoop
import HTTPSemantics
import JSON
import Paging
import Resilience

/// Completes a list's items: fetches by their ids, many at once, what they only name.
final class Enricher {
  /// Items with what was found for them, ready to be written.
  struct Completed {
    /// One an item, in their order.
    let parts: [SliceAnswer.Part]
    /// What the reader should know, as the envelope spells it.
    let notes: [String]
  }

  private let configuration: Configuration.Enrichment
  private let upstream: Upstream
  private let renderer: RequestRenderer
  private let reader: AnswerReader
  private let parser: Parser
  /// The parameters of the list.
  private let parameters: [Parameter]
  /// What stands behind an item, before what is added.
  private let middle: [UInt8]

  init(
    _ configuration: Configuration.Enrichment, of list: Configuration.List, upstream: Upstream,
    parser: Parser, process: ProcessState
  ) {
    self.configuration = configuration
    self.upstream = upstream
    self.parser = parser
    parameters = list.parameters
    renderer = RequestRenderer(
      template: configuration.request, url: upstream.configuration.url, holdsPaging: false)
    reader = AnswerReader(
      plan: .single(refusal: configuration.refusal), charset: upstream.configuration.charset,
      bodyLimit: upstream.configuration.bodyLimit, parser: parser, process: process)
    var name = Writer(reserving: 32)
    name.string(configuration.name)
    middle = [UInt8(ascii: ",")] + name.finish() + [UInt8(ascii: ":")]
  }

  private static let before = Array(#"{"item":"#.utf8)

  /// Completes items of the list.
  ///
  /// - Returns: a failure only where the list is not to be had without.
  func complete(
    _ items: [PlacedItem], with arguments: Arguments, for request: Request
  ) async -> Result<Completed, GatewayError> {
    let wanted = EnrichmentIDs(of: items, at: configuration.by, parser)
    let gathering = Gathering()
    switch requests(for: wanted, with: arguments, request) {
    case .failure(let error): gathering.failure = error
    case .success(let requests):
      if !requests.isEmpty { await fetch(requests, into: gathering, for: request) }
    }
    if let failure = gathering.failure, configuration.isRequired { return .failure(failure) }
    return .success(completed(items, wanted, gathering))
  }

  // MARK: Requests

  private func requests(
    for wanted: EnrichmentIDs, with arguments: Arguments, _ request: Request
  ) -> Result<[TransportRequest], GatewayError> {
    var requests: [TransportRequest] = []
    let ids = askable(wanted.distinct)
    // Another upstream's is none of this one's business.
    let credential: [UInt8]?
    do throws(GatewayError) {
      credential = ids.isEmpty ? nil : try upstream.credential(of: request, parameters, arguments)
    } catch {
      return .failure(error)
    }
    var start = 0
    while start < ids.count {
      let end = min(start + configuration.batch, ids.count)
      var page = PageRequest.own
      page.parts = parts(of: ids[start..<end])
      do throws(TemplateFailure) {
        var outgoing = upstream.request(try renderer.render(page, with: arguments), for: request)
        if let wait = configuration.wait {
          outgoing.deadline = min(outgoing.deadline, upstream.loop.now + wait)
        }
        outgoing.credential = credential
        requests.append(outgoing)
      } catch {
        return .failure(.unrenderable(error, parameters, arguments))
      }
      start = end
    }
    return .success(requests)
  }

  /// An id with the separator in it would be taken for several: there is no asking for that.
  private func askable(_ ids: [EnrichmentIDs.ID]) -> [EnrichmentIDs.ID] {
    guard case .joined(let separator) = configuration.form, !separator.isEmpty else { return ids }
    let bytes = Array(separator.utf8)
    return ids.filter { !$0.text.contains(bytes) }
  }

  private func parts(of ids: ArraySlice<EnrichmentIDs.ID>) -> [PageRequest.Part] {
    switch configuration.form {
    case .joined(let separator):
      [
        PageRequest.Part(
          configuration.placement, .text(Array(ids.map(\.text).joined(separator: separator.utf8))))
      ]
    case .repeated: ids.map { PageRequest.Part(configuration.placement, .text($0.text)) }
    case .array:
      [
        PageRequest.Part(
          configuration.placement,
          .json([UInt8(ascii: "[")] + ids.map(\.json).joined(separator: ",".utf8) + [UInt8(ascii: "]")]))
      ]
    }
  }

  /// Has all requests made, side by side, and waits for the last.
  private func fetch(
    _ requests: [TransportRequest], into gathering: Gathering, for request: Request
  ) async {
    let work = request.work
    let start = ContinuousClock.now
    await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      gathering.left = requests.count
      for outgoing in requests {
        var started: (any Transfer)?
        // To read twice does no harm.
        let call = upstream.start(outgoing, .client, isRepeatable: true) { [self] result, sentCount in
          if let started { work.remove(started) }
          work.upstreamRequests += sentCount
          let judged = payload(result)
          upstream.figures.record(UpstreamOutcome(judged), duration: start.duration(to: .now))
          take(judged, into: gathering)
          gathering.left -= 1
          if gathering.left == 0 { unsafe continuation.resume() }
          return judged.judgement
        }
        started = call
        work.add(call)
      }
    }
    work.upstreamDuration += start.duration(to: .now)
  }

  // MARK: Answers

  /// What has come so far.
  private final class Gathering {
    struct Found {
      let body: Bytes
      let range: Range<Int>
    }

    var found: [[UInt8]: Found] = [:]
    var failure: GatewayError?
    var left = 0
  }

  private func payload(
    _ result: Result<TransportResponse, TransportFailure>
  ) -> Result<Payload, GatewayError> {
    switch result {
    case .failure(let failure): .failure(GatewayError(failure))
    case .success(let response):
      reader.payload(of: response, at: configuration.place, allowsAbsence: true).flatMap { payload in
        guard let node = payload.node, !payload.document.isNull(node) else { return .success(payload) }
        switch payload.document.kind(of: node) {
        case .array, .object: return .success(payload)
        default:
          return .failure(
            GatewayError(
              .upstreamShape, .unreadableAnswer,
              detail: "neither an array nor an object at \(configuration.place.text)"))
        }
      }
    }
  }

  private func take(_ judged: Result<Payload, GatewayError>, into gathering: Gathering) {
    switch judged {
    case .failure(let error): gathering.failure = gathering.failure ?? error
    case .success(let payload):
      guard let node = payload.node else { return }
      let document = payload.document
      for (key, value) in document.members(of: node) {
        switch configuration.id {
        case .key: gathering.found[Array(key.text.utf8)] = found(value, document)
        case .at(let pointer): add(value, by: pointer, document, to: gathering)
        }
      }
      if case .at(let pointer) = configuration.id {
        for element in document.elements(of: node) { add(element, by: pointer, document, to: gathering) }
      }
    }
  }

  private func add(_ value: Node, by pointer: Pointer, _ document: Document, to gathering: Gathering) {
    var id: [UInt8] = []
    guard let node = document.node(at: pointer, from: value), document.appendText(of: node, to: &id) else {
      return
    }
    gathering.found[id] = found(value, document)
  }

  private func found(_ value: Node, _ document: Document) -> Gathering.Found {
    Gathering.Found(body: document.bytes, range: document.range(of: value))
  }

  // MARK: Items

  private func completed(_ items: [PlacedItem], _ wanted: EnrichmentIDs, _ gathering: Gathering) -> Completed
  {
    var parts: [SliceAnswer.Part] = []
    parts.reserveCapacity(items.count)
    for (item, id) in zip(items, wanted.byItem) {
      var after = middle
      if let found = id.flatMap({ gathering.found[$0] }) {
        unsafe found.body.withUnsafeBytes { unsafe after.append(contentsOf: $0[found.range]) }
      } else {
        after += "null".utf8
      }
      after.append(UInt8(ascii: "}"))
      parts.append(
        SliceAnswer.Part(
          body: item.body, range: item.range, wrapping: ItemWrapping(before: Self.before, after: after)))
    }
    let notes = gathering.failure == nil ? [] : ["enrichment_failed:\(configuration.name)"]
    return Completed(parts: parts, notes: notes)
  }
}
