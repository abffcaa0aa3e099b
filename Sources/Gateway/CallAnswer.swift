import JSON
import Paging
import Resilience

/// What a client gets of a call: a part of an upstream's answer.
struct CallAnswer {
  let body: Bytes
  /// Where it is in ``body``; nil for null.
  let range: Range<Int>?
  /// When it was found among what is known, or came to be kept; nil where nothing is kept.
  let keptAt: Instant?

  init(_ payload: Payload) {
    body = payload.body
    range = payload.range
    keptAt = nil
  }

  /// - Parameter page: of one item, or of none where that is null.
  init(_ page: Page, at now: Instant) {
    body = page.body
    range = page.items.first?.range
    keptAt = now
  }
}
