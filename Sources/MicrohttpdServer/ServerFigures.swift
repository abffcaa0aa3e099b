/// What a server has done, and what it is at. Read on its loop.
package struct ServerFigures: Sendable, Equatable {
  /// Connections so far.
  package internal(set) var accepted = 0
  /// Connections now, the idle ones and those that are slow to close included.
  package internal(set) var open = 0
  /// Requests handed to the handler so far.
  package private(set) var exchanges = 0
  /// Requests handed over of which the answer has not been given, or has not all gone to the system.
  package private(set) var underWay = 0
  /// Requests handed over that have no answer yet.
  package private(set) var unanswered = 0
  /// Requests whose client went away before the answer was given.
  package private(set) var abandoned = 0
  /// Bytes of content in answers that were sent whole.
  package private(set) var contentBytesSent = 0
  /// Answers that could not be sent whole.
  package private(set) var abortedSends = 0
  /// Connections ended because a request was too slow to arrive.
  package internal(set) var slowSenders = 0
  /// Connections ended because an answer was read too slowly.
  package internal(set) var slowReaders = 0
  /// Connections turned away because their client's address had its share.
  package internal(set) var turnedAway = 0

  mutating func begin() {
    exchanges += 1
    underWay += 1
    unanswered += 1
  }

  mutating func answer() { unanswered -= 1 }

  mutating func abandon() {
    unanswered -= 1
    abandoned += 1
  }

  mutating func send(byteCount: Int, isWhole: Bool) {
    if isWhole { contentBytesSent += byteCount } else { abortedSends += 1 }
  }

  mutating func end() { underWay -= 1 }
}
