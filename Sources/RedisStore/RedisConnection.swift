import CHiredis
import EventLoop

// hiredis frees a context by itself: when a connection fails, when the peer hangs up, or when it is asked to from within a
// callback, after that. It says so exactly once, by the event library's `cleanup`. So a connection keeps itself alive from
// `open` until then, and no pointer to it outlives it.
//
// hiredis takes its wish to write back after each write and repeats it at the next command. So commands gather until the
// end of the turn and go out in one write, without epoll hearing of it; only what the socket does not take waits there.

/// The owner of a `redisAsyncContext *`: one connection, from the attempt to its end. On its loop's thread only.
@safe
final class RedisConnection {
  private static let readable = Readiness.readable.rawValue
  private static let writable = Readiness.writable.rawValue

  /// A command's way back.
  private final class Pending {
    let completion: (Reply?) -> Void
    init(_ completion: @escaping (Reply?) -> Void) { self.completion = completion }
  }

  private var context: UnsafeMutablePointer<redisAsyncContext>?
  private let descriptor: Int32
  private let loop: EventLoop
  private let commandTimeout: Duration
  private var wished: UInt32 = 0
  private var applied: UInt32 = 0
  private(set) var isConnected = false
  private var isInCallback = false
  /// By when the commands under way are to be answered, and what they take, in their order; from `head` on.
  private var deadlines: [(instant: ContinuousClock.Instant, byteCount: Int)] = []
  /// What the commands under way take.
  private(set) var byteCount = 0
  private var head = 0
  private var timer: Timer?
  /// Called once, when the connection stands.
  private var whenConnected: (() -> Void)?
  /// Called once, at the end: with why.
  private var whenLost: ((String) -> Void)?
  private var whenPublished: (([UInt8]) -> Void)?
  private var reason: String?

  private init(
    _ context: UnsafeMutablePointer<redisAsyncContext>, loop: EventLoop, commandTimeout: Duration,
    whenConnected: @escaping () -> Void, whenLost: @escaping (String) -> Void
  ) {
    unsafe self.context = context
    descriptor = unsafe context.pointee.c.fd
    self.loop = loop
    self.commandTimeout = commandTimeout
    self.whenConnected = whenConnected
    self.whenLost = whenLost
  }

  /// Starts to connect.
  ///
  /// - Parameters:
  ///   - address: numeric: a name would be looked up while the loop waits.
  ///   - whenConnected: called once, unless it is lost before.
  ///   - whenLost: called exactly once, never before this returns.
  /// - Returns: nil where the system refuses at once.
  static func open(
    _ address: String, port: UInt16, loop: EventLoop, commandTimeout: Duration,
    whenConnected: @escaping () -> Void, whenLost: @escaping (String) -> Void
  ) -> RedisConnection? {
    guard let context = unsafe redisAsyncConnect(address, Int32(port)) else { return nil }
    guard unsafe context.pointee.err == 0 else {
      unsafe redisAsyncFree(context)
      return nil
    }
    let connection = unsafe RedisConnection(
      context, loop: loop, commandTimeout: commandTimeout, whenConnected: whenConnected, whenLost: whenLost)
    unsafe context.pointee.ev.data = Unmanaged.passRetained(connection).toOpaque()
    unsafe context.pointee.ev.addRead = addRead
    unsafe context.pointee.ev.delRead = deleteRead
    unsafe context.pointee.ev.addWrite = addWrite
    unsafe context.pointee.ev.delWrite = deleteWrite
    unsafe context.pointee.ev.cleanup = cleanup
    unsafe redisAsyncSetConnectCallback(context, connected)
    connection.apply()
    return connection
  }

  // MARK: Commands

  /// Sends a command, at the end of the turn.
  ///
  /// - Parameter completion: called exactly once, never before this returns; with nil where the connection is lost.
  /// - Returns: whether it was taken; if not, there is no completion.
  func send(_ command: Command, _ completion: @escaping (Reply?) -> Void) -> Bool {
    guard let context = unsafe context else { return false }
    let pending = unsafe Unmanaged.passRetained(Pending(completion))
    let code = unsafe command.bytes.withUnsafeBytes { bytes in
      unsafe redisAsyncFormattedCommand(
        context, Self.answered, pending.toOpaque(), bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        command.byteCount)
    }
    guard code == REDIS_OK else {
      unsafe pending.release()
      return false
    }
    deadlines.append((.now + commandTimeout, command.byteCount))
    byteCount += command.byteCount
    watchTime()
    return true
  }

  /// Has `action` called for whatever is published in a channel. The connection is for nothing else from then on.
  func subscribe(_ channel: [UInt8], _ action: @escaping ([UInt8]) -> Void) -> Bool {
    guard let context = unsafe context else { return false }
    whenPublished = action
    let command = Command(word("SUBSCRIBE"), channel)
    return unsafe command.bytes.withUnsafeBytes { bytes in
      unsafe redisAsyncFormattedCommand(
        context, Self.published, nil, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        command.byteCount)
        == REDIS_OK
    }
  }

  /// Has the system find out about a peer that has gone without a word, also while nothing is asked.
  func keepAlive() {
    guard let context = unsafe context else { return }
    unsafe redisEnableKeepAlive(&context.pointee.c)
  }

  /// Ends it. What is under way is told so, before this returns or right after.
  func close(because reason: String) {
    guard let context = unsafe context else { return }
    self.reason = reason
    unsafe redisAsyncFree(context)
  }

  /// Sends what has gathered, and tells epoll what is left to be waited for. Once a turn.
  func endTurn() {
    if isConnected, wished & Self.writable != 0, let context = unsafe context {
      unsafe redisAsyncHandleWrite(context)
    }
    apply()
  }

  // MARK: Events

  private func apply() {
    guard unsafe context != nil, wished != applied else { return }
    if wished == 0 {
      loop.unwatch(descriptor)
    } else if applied == 0 {
      loop.watch(descriptor, for: Readiness(rawValue: wished)) { [weak self] in self?.ready($0) }
    } else {
      loop.rewatch(descriptor, for: Readiness(rawValue: wished))
    }
    applied = wished
  }

  private func ready(_ readiness: Readiness) {
    // A broken connection is found out by reading or writing.
    let broken = readiness.rawValue & (Readiness.error.rawValue | Readiness.hangUp.rawValue) != 0
    if broken || readiness.rawValue & Self.writable != 0, wished & Self.writable != 0,
      let context = unsafe context
    {
      unsafe redisAsyncHandleWrite(context)
    }
    if broken || readiness.rawValue & Self.readable != 0, wished & Self.readable != 0,
      let context = unsafe context
    {
      unsafe redisAsyncHandleRead(context)
    }
    apply()
  }

  private func watchTime() {
    guard timer?.isPending != true, head < deadlines.count else { return }
    timer = loop.schedule(at: deadlines[head].instant) { [weak self] in
      guard let self, head < deadlines.count else { return }
      if deadlines[head].instant <= .now {
        close(because: "a command was not answered in time")
      } else {
        watchTime()
      }
    }
  }

  private func took() {
    guard head < deadlines.count else { return }
    byteCount -= deadlines[head].byteCount
    head += 1
    if head == deadlines.count {
      deadlines.removeAll(keepingCapacity: true)
      head = 0
      timer?.cancel()
    } else if head > 256 && head > deadlines.count / 2 {
      deadlines.removeFirst(head)
      head = 0
    }
  }

  private func ended() {
    if applied != 0 { loop.unwatch(descriptor) }
    (wished, applied) = (0, 0)
    timer?.cancel()
    let reason =
      reason ?? (unsafe context.flatMap { unsafe Self.error(of: $0) }) ?? "the connection was closed"
    unsafe context = nil
    isConnected = false
    let whenLost = self.whenLost
    (self.whenLost, whenConnected, whenPublished) = (nil, nil, nil)
    // Not within hiredis's callback: what follows may connect anew.
    loop.schedule(at: loop.now) { whenLost?(reason) }
  }

  private static func error(of context: UnsafeMutablePointer<redisAsyncContext>) -> String? {
    guard unsafe context.pointee.c.err != 0, let text = unsafe context.pointee.errstr else { return nil }
    return unsafe String(cString: text)
  }

  // MARK: Callbacks; the context is a `RedisConnection`

  private static func connection(_ data: UnsafeMutableRawPointer?) -> RedisConnection? {
    guard let data = unsafe data else { return nil }
    return unsafe Unmanaged<RedisConnection>.fromOpaque(data).takeUnretainedValue()
  }

  private static let addRead: @convention(c) (UnsafeMutableRawPointer?) -> Void = {
    unsafe connection($0)?.wished |= readable
  }
  private static let deleteRead: @convention(c) (UnsafeMutableRawPointer?) -> Void = {
    unsafe connection($0)?.wished &= ~readable
  }
  private static let addWrite: @convention(c) (UnsafeMutableRawPointer?) -> Void = {
    unsafe connection($0)?.wished |= writable
  }
  private static let deleteWrite: @convention(c) (UnsafeMutableRawPointer?) -> Void = {
    unsafe connection($0)?.wished &= ~writable
  }
  private static let cleanup: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
    guard let data = unsafe data else { return }
    unsafe Unmanaged<RedisConnection>.fromOpaque(data).takeRetainedValue().ended()
  }

  private static let connected: @convention(c) (UnsafePointer<redisAsyncContext>?, Int32) -> Void = {
    context, status in
    guard let context = unsafe context, status == REDIS_OK,
      let connection = unsafe connection(context.pointee.ev.data)
    else { return }
    connection.isConnected = true
    let action = connection.whenConnected
    connection.whenConnected = nil
    action?()
  }

  private static let answered:
    @convention(c) (
      UnsafeMutablePointer<redisAsyncContext>?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
    ) -> Void = { context, reply, data in
      guard let context = unsafe context, let data = unsafe data else { return }
      let pending = unsafe Unmanaged<Pending>.fromOpaque(data).takeRetainedValue()
      unsafe connection(context.pointee.ev.data)?.took()
      pending.completion(unsafe reply.map { unsafe Reply($0.assumingMemoryBound(to: redisReply.self)) })
    }

  private static let published:
    @convention(c) (
      UnsafeMutablePointer<redisAsyncContext>?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
    ) -> Void = { context, reply, _ in
      guard let context = unsafe context, let reply = unsafe reply,
        let connection = unsafe connection(context.pointee.ev.data),
        case .array(let parts) = unsafe Reply(reply.assumingMemoryBound(to: redisReply.self)),
        parts.count == 3, case .bytes(let kind) = parts[0], kind == word("message"),
        case .bytes(let content) = parts[2]
      else { return }
      connection.whenPublished?(content)
    }
}
