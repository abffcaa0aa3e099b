package import JSON

/// Pages by a value of the last item: what comes after this id, or before this time. Or by one that the answer gives for it
/// (`info.maxtime`): then ``Says/next`` tells where that is.
package struct Keyset: Sendable, Hashable {
  package let sending: Placement
  /// From an item to the value: a string or number, or several of them in an array (Elasticsearch's `sort`). Nil where the
  /// answer gives it.
  package let key: Pointer?
  /// Added to a whole number before it is sent: 1 for Telegram's `offset`, -1 for Twitter's `max_id`; else 0.
  package let step: Int
  /// Sent to get the first page; nil when nothing is.
  package let first: String?
  package let size: PageSize?
  package let ending: Ending

  package init(
    sending: Placement, key: Pointer?, step: Int, first: String?, size: PageSize?, ending: Ending
  ) {
    self.sending = sending
    self.key = key
    self.step = step
    self.first = first
    self.size = size
    self.ending = ending
  }
}

extension Keyset: Course {
  var start: Place { .beginning }
  var isLed: Bool { true }
  /// An inclusive key gives its own item again: a page of nothing else is the last one.
  var endsByRepeating: Bool { true }
  var repeatsItems: Bool { true }

  func request(at place: Place) -> PageRequest {
    var request = PageRequest([])
    switch place {
    case .text(let key): request.parts = [.init(sending, .text(key))]
    case .json(let key): request.parts = [.init(sending, .json(key))]
    default: if let first { request.parts = [.init(sending, .text(Array(first.utf8)))] }
    }
    if let part = size?.part { request.parts.append(part) }
    return request
  }

  var itemKey: Pointer? { key }

  func place(after page: Page, at place: Place, grain: Grain) -> Place? {
    key == nil ? self.place(page.said.next) : self.place(afterItem: page.items.count - 1, of: page)
  }

  func place(afterItem index: Int, of page: Page) -> Place? {
    guard page.keys.indices.contains(index), !page.keys[index].isEmpty,
      let key = JSONText.key(page.body, in: page.keys[index])
    else { return nil }
    return place(key)
  }

  private func place(_ key: Said.Next) -> Place? {
    switch key {
    case .text(let text): .text(stepped(text))
    case .json(let json): .json(stepped(json))
    case .unsaid, .none, .target: nil
    }
  }

  /// The key that is sent for this one. Only whole numbers have a neighbour.
  private func stepped(_ key: [UInt8]) -> [UInt8] {
    guard step != 0, let number = Int(String(decoding: key, as: UTF8.self)) else { return key }
    return Array(String(number &+ step).utf8)
  }

  func outlook(_ sighting: Sighting) -> Outlook { Outlook(keyed: sighting) }
  func size(at place: Place) -> Int? { size?.value }
}
