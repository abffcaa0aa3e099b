import JSON
import TestSupport

/// A list walked to its end through the gateway, every answer held to what the interface promises.
struct ListWalk {
  /// The items' bytes, in order.
  private(set) var items: [String] = []
  private(set) var sliceCount = 0
  /// The warnings that came, without their counts.
  private(set) var warnings: Set<String> = []
  /// What an answer promised and did not hold.
  private(set) var faults: [String] = []

  /// - Parameters:
  ///   - target: a list's path with its parameters.
  ///   - start: the cursor to go on from; nil is the beginning of the list.
  init(_ target: String, port: UInt16, limit: Int, from start: String? = nil) throws {
    let client = try TestClient(port: port, timeout: 120)
    let address = "\(target)\(target.contains("?") ? "&" : "?")limit=\(limit)"
    var cursors: Set<String> = []
    var cursor = start
    repeat {
      let answer = try client.request("GET", address + (cursor.map { "&cursor=\($0)" } ?? ""))
      sliceCount += 1
      let envelope = try EnvelopeReader(answer.body)
      guard answer.status == 200, envelope.status == "0" else {
        note("HTTP status \(answer.status): \(answer.text.prefix(300))")
        return
      }
      hold(envelope, limit: limit)
      items += envelope.items
      cursor = envelope.next
      if let cursor, !cursors.insert(cursor).inserted {
        note("the cursor repeats")
        return
      }
    } while cursor != nil && faults.count < 10
  }

  private mutating func hold(_ envelope: EnvelopeReader, limit: Int) {
    let count = envelope.items.count
    if envelope.keys != ["status", "header", "body", "message"] { note("the keys are \(envelope.keys)") }
    if envelope.text("/header/count") != "\(count)" {
      note("count is \(envelope.text("/header/count") ?? "absent") with \(count) items")
    }
    if count > limit { note("\(count) items for a limit of \(limit)") }
    let hasMore = envelope.text("/header/hasMore")
    if hasMore != (envelope.next == nil ? "false" : "true") {
      note("hasMore is \(hasMore ?? "absent") and next \(envelope.next == nil ? "absent" : "there")")
    }
    if envelope.next != nil, count < limit, envelope.warnings.isEmpty {
      note("\(count) items for a limit of \(limit), with more to come and no warning")
    }
    if let prefetchAt = envelope.text("/header/prefetchAt") {
      if !(0..<max(1, count)).contains(Int(prefetchAt) ?? -1) {
        note("prefetchAt is \(prefetchAt) with \(count) items")
      }
    }
    for warning in envelope.warnings { warnings.insert(String(warning.prefix { $0 != ":" })) }
  }

  private mutating func note(_ fault: String) { faults.append("slice \(sliceCount): \(fault)") }

  /// Where the walk did not bring exactly the items of `truth`, in order; nil where it did. Bytes are compared: texts that
  /// Swift takes for equal, such as é in one code point and in two, are not the same.
  func difference(from truth: [String]) -> String? { difference(from: truth) { $0 } }

  /// The same, of what `form` makes of an item.
  func difference(from truth: [String], as form: (String) throws -> String) rethrows -> String? {
    if let fault = faults.first { return fault }
    let items = try items.map(form)
    let place = zip(items, truth).enumerated().first { !$1.0.utf8.elementsEqual($1.1.utf8) }?.offset
    if place == nil, items.count == truth.count { return nil }
    let first = place ?? min(items.count, truth.count)
    func shown(_ items: [String]) -> Substring { first < items.count ? items[first].prefix(200) : "nothing" }
    return "\(items.count) items instead of \(truth.count); item \(first) is \(shown(items)) instead of "
      + shown(truth)
  }
}

extension EnvelopeReader {
  var keys: [String] { document.members(of: document.root).map(\.key.text) }

  var warnings: [String] {
    node("/header/warnings").map { document.elements(of: $0).compactMap { document.text(of: $0) } } ?? []
  }
}
