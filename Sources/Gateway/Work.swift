/// What one client's request waits for, so that it can be given up when the client goes away, and what that gave so far.
final class Work {
  /// One most of the time, several where a request asks several upstreams side by side.
  private var wait: PageWait?
  private var others: [PageWait] = []
  private(set) var isAbandoned = false
  private(set) var isStopped = false
  /// How much of the request's time went into waiting for the upstream, and for how many answers.
  var upstreamDuration = Duration.zero
  var upstreamRequests = 0
  /// Where the pages came from.
  var account = CacheAccount()
  /// The known pages that were fresh.
  var marks: [KnownPages.Mark] = []

  /// The client has gone: what nobody else waits for is ended; nothing new is started.
  func abandon() {
    isAbandoned = true
    stop()
  }

  /// Gives up what is waited for: what nobody else waits for is ended; nothing new is started.
  func stop() { leave(goesOn: false) }

  /// Gives up what is waited for, which goes on for the cache; nothing new is started.
  func supersede() { leave(goesOn: true) }

  private func leave(goesOn: Bool) {
    isStopped = true
    let leaving = [wait].compactMap(\.self) + others
    wait = nil
    others = []
    for wait in leaving { wait.leave(goesOn: goesOn) }
  }

  func add(_ wait: PageWait) {
    if self.wait == nil { self.wait = wait } else { others.append(wait) }
  }

  func remove(_ wait: PageWait) {
    if self.wait === wait {
      self.wait = nil
    } else {
      others.removeAll { $0 === wait }
    }
  }
}
