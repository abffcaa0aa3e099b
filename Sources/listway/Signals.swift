import Glibc

/// The signals that end the program.
enum Signals {
  /// Keeps SIGTERM and SIGINT for ``waitForStop()``, and has writing to a closed peer, or to a file that may not grow any
  /// more (RLIMIT_FSIZE), be an error, not the end. To be called before any other thread is started: threads inherit it.
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var set = stopSignals
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for SIGTERM or SIGINT, and lets the next one end the program at once.
  ///
  /// - Returns: the signal's name.
  static func waitForStop() -> String {
    var set = stopSignals
    var number: Int32 = 0
    while unsafe sigwait(&set, &number) != 0 {}
    endAtOnce()
    return number == SIGINT ? "SIGINT" : "SIGTERM"
  }

  /// Lets SIGTERM and SIGINT end the program at once from now on.
  static func endAtOnce() {
    signal(SIGTERM, SIG_DFL)
    signal(SIGINT, SIG_DFL)
    var set = stopSignals
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  static var stopSignals: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGTERM)
    unsafe sigaddset(&set, SIGINT)
    return set
  }
}
