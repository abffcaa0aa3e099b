import EventLoop
import Glibc

/// Looks names up, on a thread of its own for each: the system's resolver waits for its servers, a loop does not.
enum Resolver {
  /// - Parameter completion: called on the loop, never before this returns: with a numeric address, or with nil and why.
  static func resolve(
    _ host: String, on loop: EventLoop, completion: @escaping (Result<String, ResolutionFailure>) -> Void
  ) {
    if isNumeric(host) {
      loop.schedule(at: loop.now) { completion(.success(host)) }
      return
    }
    // Sound: it is called on the loop's thread only.
    nonisolated(unsafe) let completion = completion
    let job = Job(host: host) { result in loop.execute { unsafe completion(result) } }
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(job).toOpaque()
    let code = unsafe pthread_create(&thread, nil, body, context)
    guard code == 0 else {
      unsafe Unmanaged<Job>.fromOpaque(context).release()
      loop.schedule(at: loop.now) { unsafe completion(.failure(ResolutionFailure(detail: "no thread"))) }
      return
    }
    pthread_detach(thread)
  }

  private final class Job: Sendable {
    let host: String
    let completion: @Sendable (Result<String, ResolutionFailure>) -> Void

    init(host: String, completion: @escaping @Sendable (Result<String, ResolutionFailure>) -> Void) {
      self.host = host
      self.completion = completion
    }
  }

  private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    context in
    guard let context = unsafe context else { return nil }
    let job = unsafe Unmanaged<Job>.fromOpaque(context).takeRetainedValue()
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
    job.completion(look(up: job.host))
    return nil
  }

  private static func isNumeric(_ host: String) -> Bool {
    var address = in6_addr()
    return unsafe inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
  }

  private static func look(up host: String) -> Result<String, ResolutionFailure> {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, nil, &hints, &first)
    guard code == 0, let first = unsafe first else {
      return .failure(ResolutionFailure(detail: unsafe String(cString: gai_strerror(code))))
    }
    defer { unsafe freeaddrinfo(first) }
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let named = unsafe getnameinfo(
      first.pointee.ai_addr, first.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    guard named == 0 else {
      return .failure(ResolutionFailure(detail: unsafe String(cString: gai_strerror(named))))
    }
    return .success(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
  }
}

struct ResolutionFailure: Error, Sendable {
  let detail: String
}
