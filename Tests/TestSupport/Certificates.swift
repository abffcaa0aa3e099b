/// A certification authority of the test's own, and certificates by it: `NAME.pem` with `NAME.key` in its folder.
package struct Certificates: Sendable {
  package let folder: TemporaryFolder

  /// Makes `good`, `expired`, `wrong` (another host's) and `client`, by the authority `ca`, and the authority `other`.
  package init() throws {
    folder = try TemporaryFolder()
    var script = ["cd '\(folder.path)'"]
    for authority in ["ca", "other"] {
      script.append(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=\(authority)'"
          + " -keyout \(authority).key -out \(authority).pem")
    }
    for (name, days, subject) in [
      ("good", 2, "IP:127.0.0.1,DNS:localhost"), ("expired", -1, "IP:127.0.0.1"),
      ("wrong", 2, "DNS:other.example"),
      ("client", 2, "DNS:client.example"),
    ] {
      script += [
        "echo 'subjectAltName=\(subject)' > \(name).ext",
        "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=\(name)'"
          + " -keyout \(name).key -out \(name).csr",
        "openssl x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days)"
          + " -extfile \(name).ext -out \(name).pem",
      ]
    }
    try Child.shell(script.joined(separator: "\n"))
  }

  package func file(_ name: String) -> String { "\(folder.path)/\(name)" }

  package static let areAvailable = Child.isInstalled("/usr/bin/openssl")
}
