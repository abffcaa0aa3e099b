/// Pages by a value of the last item: what comes after this id, or before this time.
package struct Keyset: Sendable, Hashable {
  package let sending: Placement
  /// From an item to the value.
  package let key: Pointer
  /// Added to a whole number before it is sent: 1 for Telegram's `offset`, -1 for Twitter's `max_id`; else 0.
  package let step: Int
  /// Sent to get the first page; nil when nothing is.
  package let first: String?
  package let size: PageSize?
  package let ending: Ending

  package init(
    sending: Placement, key: Pointer, step: Int, first: String?, size: PageSize?, ending: Ending
  ) {
    self.sending = sending
    self.key = key
    self.step = step
    self.first = first
    self.size = size
    self.ending = ending
  }
}
