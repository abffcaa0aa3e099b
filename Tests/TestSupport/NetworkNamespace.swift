import Glibc
import Synchronization

/// A network of its own, joined to the test's by one link: what is in it can be cut off without harm to anybody else.
///
///     the test's network ── 10.231.N.1 ══ link ══ 10.231.N.2 ── the namespace (its own loopback beside)
///
/// Needs root and ip(8): see ``isAvailable``.
package final class NetworkNamespace: Sendable {
  package enum Link: Sendable {
    /// A veth pair, which can be pulled at either end.
    case cable
    /// One whose packets pass through the test.
    case relayed(PacketRelay.Terms)
  }

  package let name: String
  /// The link's end in the test's network, and its end in the namespace.
  package let outerLink: String
  package let innerLink = "inner"
  package let outerAddress: String
  package let innerAddress: String
  /// Of a link that is one.
  package let relay: PacketRelay?

  /// Whether namespaces can be made here.
  package static let isAvailable: Bool = {
    guard geteuid() == 0, let namespace = try? NetworkNamespace() else { return false }
    return (try? namespace.run(["link", "show", "lo"])) != nil
  }()

  /// Whether links can be ``Link/relayed(_:)``.
  package static let canRelay = isAvailable && access("/dev/net/tun", R_OK | W_OK) == 0

  /// The program that drops packets.
  private static let filter = "/usr/sbin/iptables"
  package static let canFilter = isAvailable && Child.isInstalled(filter)

  /// Numbers that namespaces of this process have.
  private static let taken = Mutex<Set<Int>>([])

  package init(_ link: Link = .cable) throws {
    // Other processes may have some: a free number is soon found.
    var made: (name: String, number: Int)?
    for attempt in 0..<100 where made == nil {
      let number = (Int(getpid()) * 7 + attempt * 31) % 250 + 1
      let name = "listway\(number)"
      guard Self.taken.withLock({ $0.insert(number).inserted }) else { continue }
      if (try? Self.ip(["netns", "add", name])) != nil {
        made = (name, number)
      } else {
        _ = Self.taken.withLock { $0.remove(number) }
      }
    }
    guard let (name, number) = made else { throw TestFailure("no network namespace can be made") }
    self.name = name
    outerLink = "lwo\(number)"
    outerAddress = "10.231.\(number).1"
    innerAddress = "10.231.\(number).2"
    do {
      switch link {
      case .cable:
        relay = nil
        try Self.ip(["link", "add", outerLink, "type", "veth", "peer", "name", innerLink, "netns", name])
      case .relayed(let terms):
        let outer = try PacketRelay.openDevice(named: outerLink)
        let inner = try Self.inside(name) { [innerLink] in try PacketRelay.openDevice(named: innerLink) }
        relay = try PacketRelay(between: (outer, inner), terms, seed: UInt64(number))
      }
      try Self.ip(["address", "add", "\(outerAddress)/30", "dev", outerLink])
      try Self.ip(["link", "set", outerLink, "up"])
      try run(["address", "add", "\(innerAddress)/30", "dev", innerLink])
      try run(["link", "set", innerLink, "up"])
      try run(["link", "set", "lo", "up"])
    } catch {
      _ = try? Self.ip(["netns", "del", name])
      _ = Self.taken.withLock { $0.remove(number) }
      throw error
    }
  }

  deinit {
    if relay == nil { _ = try? Self.ip(["link", "del", outerLink]) }
    _ = try? Self.ip(["netns", "del", name])
    try? Child.shell("rm -rf '/etc/netns/\(name)'")
    if let number = Int(name.dropFirst("listway".count)) {
      _ = Self.taken.withLock { $0.remove(number) }
    }
  }

  /// Has the programs that are started in it from now on ask this server for names, and nobody else.
  package func setNameServer(_ address: String) throws {
    try Child.shell(
      """
      mkdir -p '/etc/netns/\(name)'
      echo 'nameserver \(address)' > '/etc/netns/\(name)/resolv.conf'
      echo 'options timeout:1 attempts:1' >> '/etc/netns/\(name)/resolv.conf'
      """)
  }

  /// Has what comes in by the link swallowed, or no more.
  package func swallow(_ isSwallowing: Bool) throws {
    try execute(Self.filter, [isSwallowing ? "-A" : "-D", "INPUT", "-i", innerLink, "-j", "DROP"])
  }

  /// Runs `ip ARGUMENTS` in the namespace.
  package func run(_ arguments: [String]) throws { try Self.ip(["-n", name] + arguments) }

  /// Runs another program in the namespace, to its end.
  package func execute(_ program: String, _ arguments: [String]) throws {
    let status = try start(program, arguments).wait()
    if status != 0 { throw TestFailure("\(program) \(arguments.joined(separator: " ")): status \(status)") }
  }

  /// Starts a program in the namespace.
  package func start(_ program: String, _ arguments: [String], output: String = "/dev/null") throws -> Child {
    try Child("/usr/sbin/ip", ["netns", "exec", name, program] + arguments, output: output)
  }

  /// Runs `ip ARGUMENTS` in the network of the test.
  package static func ip(_ arguments: [String]) throws {
    let status = try Child("/usr/sbin/ip", arguments).wait()
    if status != 0 { throw TestFailure("ip \(arguments.joined(separator: " ")): status \(status)") }
  }

  /// Does `work` in the namespace: what it opens stays there.
  package func inside<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) throws -> Value {
    try Self.inside(name, work)
  }

  private static func inside<Value: Sendable>(
    _ name: String, _ work: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    let outcome = Outcome<Value>()
    // A thread changes its network for good: one of its own, then.
    let thread = try startThread {
      typealias SetNamespace = @convention(c) (Int32, Int32) -> Int32
      let namespace = open("/run/netns/\(name)", O_RDONLY | O_CLOEXEC)
      guard namespace >= 0, let symbol = dlsym(nil, "setns") else { return }
      defer { close(namespace) }
      guard unsafeBitCast(symbol, to: SetNamespace.self)(namespace, 0) == 0 else { return }
      outcome.value.withLock { $0 = Result { try work() } }
    }
    pthread_join(thread, nil)
    guard let result = outcome.value.withLock({ $0 }) else { throw TestFailure("\(name) cannot be entered") }
    return try result.get()
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Result<Value, any Error>?>(nil)
  }

  /// A connection to 127.0.0.1 as it is in the namespace.
  package func connect(port: UInt16) throws -> TestClient {
    let descriptor = try inside { () throws -> Int32 in
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard withLoopback(port: port, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
        let code = errno
        close(descriptor)
        throw TestFailure("connect: errno \(code)")
      }
      return descriptor
    }
    return TestClient(connected: descriptor)
  }
}
