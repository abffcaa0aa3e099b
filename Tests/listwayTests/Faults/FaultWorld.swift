import Foundation
import TestSupport

/// A gateway as a process of its own before an upstream that can be ill, on loopback or with a network between them.
final class FaultWorld: @unchecked Sendable {
  enum Place: Sendable {
    case loopback
    /// The gateway in a network of its own, its upstream outside.
    case behind(NetworkNamespace.Link)
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let namespace: NetworkNamespace?
  let upstream: FaultyUpstream
  /// Of the name that the upstream goes by, where it has one.
  let names: NameServer?
  let certificates: Certificates?
  private var front: Child?
  private let frontPort = freePort()
  private let program: Child
  private let port = freePort()
  private let adminPort = freePort()
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - place: where the gateway is.
  ///   - keys: the upstream's, apart from its URL.
  ///   - isNamed: whether the upstream is known by a name, which only ``names`` knows.
  ///   - isSecure: whether TLS is spoken to it, by an nginx before it.
  init(_ place: Place, keys: String, isNamed: Bool = false, isSecure: Bool = false, loops: Int = 2) throws {
    folder = try TemporaryFolder()
    var host = "127.0.0.1"
    switch place {
    case .loopback: namespace = nil
    case .behind(let link):
      let namespace = try NetworkNamespace(link)
      self.namespace = namespace
      host = namespace.outerAddress
    }
    upstream = try FaultyUpstream(onAllAddresses: namespace != nil)
    names = isNamed ? try NameServer(on: host, .address(host)) : nil
    try names?.start()
    if isNamed { try namespace?.setNameServer(host) }
    certificates = isSecure ? try Certificates() : nil
    let authority =
      isNamed ? "far.listway.test:\(upstream.port)" : "\(host):\(isSecure ? frontPort : upstream.port)"
    let tls = certificates.map { ", tls: {ca: \"\($0.file("ca.pem"))\"}" } ?? ""
    try folder.write(
      """
      listen: {address: 127.0.0.1, port: \(port)}
      admin: {address: 127.0.0.1, port: \(adminPort)}
      loops: \(loops)
      upstreams:
        far: {url: "\(isSecure ? "https" : "http")://\(authority)", connections: 32\(tls), \(keys)}
      lists:
        items:
          upstream: far
          parameters: {key: {type: integer}}
          request: {path: /items, query: {key: "{key}"}}
          paging: {style: page, page: {query: page}, size: {value: \(FaultyUpstream.pageSize)}}
          items: {at: /list, id: /id}
          says: {total: /total}
          limit: \(FaultyUpstream.pageSize)
      """, to: "listway.yaml")
    let (path, arguments, log) = (
      Program.executable.path, ["serve", "\(folder.path)/listway.yaml"], "\(folder.path)/log"
    )
    program =
      if let namespace {
        try namespace.start(path, arguments, output: log)
      } else {
        try Child(path, arguments, output: log)
      }
    if isSecure { try startFront("good") }
    try waitFor("the gateway answers") { $0.ask(1).first??.status == 200 }
  }

  func end() {
    program.terminate()
    front?.terminate()
    upstream.stop()
    names?.stop()
  }

  var log: String { (try? folder.read("log")).map { String(decoding: $0, as: UTF8.self) } ?? "" }

  // MARK: TLS

  /// Has TLS before the upstream show another certificate.
  func startFront(_ certificate: String) throws {
    guard let certificates else { return }
    front?.terminate()
    try folder.write(
      """
      daemon off; master_process off; pid nginx.pid; error_log error.log;
      events { worker_connections 1024; }
      http {
        access_log off;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        server {
          listen 127.0.0.1:\(frontPort) ssl;
          ssl_certificate \(certificates.file("\(certificate).pem"));
          ssl_certificate_key \(certificates.file("\(certificate).key"));
          location / { proxy_pass http://127.0.0.1:\(upstream.port); }
        }
      }
      """, to: "nginx.conf")
    front = try Child("/usr/sbin/nginx", ["-p", folder.path, "-c", "nginx.conf", "-e", "error.log"])
    try waitForListener(port: frontPort)
  }

  // MARK: Asking

  /// Has so many clients ask at once.
  func ask(_ count: Int, _ target: String = "/v1/lists/items", within limit: Duration = .seconds(40))
    -> [Crowd.Answer?]
  {
    ask(Array(repeating: target, count: count), within: limit)
  }

  func ask(_ targets: [String], within limit: Duration = .seconds(40)) -> [Crowd.Answer?] {
    let port = port
    guard let namespace else { return Crowd.ask(targets, port: port, within: limit) }
    return (try? namespace.inside { Crowd.ask(targets, port: port, within: limit) }) ?? []
  }

  private func admin(_ target: String) -> String {
    let port = adminPort
    let limit = Duration.seconds(20)
    let answers =
      if let namespace {
        (try? namespace.inside { Crowd.ask([target], port: port, within: limit) }) ?? []
      } else {
        Crowd.ask([target], port: port, within: limit)
      }
    return answers.first??.text ?? ""
  }

  /// A client's own connection.
  func connect() throws -> TestClient {
    if let namespace { try namespace.connect(port: port) } else { try TestClient(port: port) }
  }

  // MARK: What can be seen

  /// The sum of a figure's series whose labels have all of these in them.
  func figure(_ name: String, _ labels: String...) -> Double {
    admin("/metrics").split(separator: "\n")
      .filter { line in line.hasPrefix(name) && labels.allSatisfy { line.contains($0) } }
      .reduce(0) { $0 + (Double($1.split(separator: " ").last ?? "") ?? 0) }
  }

  var isReachable: Bool { figure("listway_upstream_reachable{") == 1 }

  var descriptorCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.processIdentifier)/fd").count) ?? 0
  }

  /// Of resident memory.
  var byteCount: Int {
    let status =
      (try? String(contentsOfFile: "/proc/\(program.processIdentifier)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
  }

  /// Looks again and again.
  func waitFor(_ what: String, seconds: Double = 30, _ condition: (FaultWorld) throws -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while try !condition(self) {
      guard Date() < deadline else { throw Failure(description: "in vain: \(what); \(log.suffix(2_000))") }
      usleep(5_000)
    }
  }
}
