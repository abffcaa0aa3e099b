/// One walk's waiting for a flight, on the walk's loop.
@safe final class PageWait {
  private let pages: KnownPages
  /// Its place in the flight; nil before it has one.
  var ticket: KnownPages.Ticket?
  private var landing: Landing?
  private var continuation: UnsafeContinuation<Landing, Never>?

  init(_ pages: KnownPages) { self.pages = pages }

  /// The flight has ended, or is not waited for any more: what comes first counts.
  func land(_ landing: Landing) {
    guard self.landing == nil else { return }
    self.landing = landing
    let continuation = unsafe self.continuation
    unsafe self.continuation = nil
    unsafe continuation?.resume(returning: landing)
  }

  /// Waits no longer.
  ///
  /// - Parameter goesOn: whether the flight may go on for the cache, though nobody waits for it.
  func leave(goesOn: Bool) {
    guard landing == nil, let ticket else { return }
    pages.leave(ticket, goesOn: goesOn)
    land(.left)
  }

  func wait() async -> Landing {
    if let landing { return landing }
    return await unsafe withUnsafeContinuation { continuation in unsafe self.continuation = continuation }
  }
}
