import Gateway
import TestSupport

/// nginx with HTTP/2 in both forms: it tells which protocol and which connection a request came by.
struct NGINX {
  static let isAvailable = Child.isInstalled("/usr/sbin/nginx")

  let certificates: Certificates
  let securePort = freePort()
  let plainPort = freePort()
  private let server: Child

  init() throws {
    certificates = try Certificates()
    let folder = certificates.folder.path
    try certificates.folder.write(
      """
      daemon off; master_process off; pid nginx.pid; error_log error.log;
      events { worker_connections 1024; }
      http {
        access_log off;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        server {
          listen 127.0.0.1:\(securePort) ssl http2;
          listen 127.0.0.1:\(plainPort) http2;
          ssl_certificate good.pem; ssl_certificate_key good.key;
          root files;
          location = /which { return 200 "$server_protocol $connection"; }
          location = /slow { limit_rate 100k; alias files/large; }
          location = /gzip { gzip on; gzip_types *; alias files/large; }
        }
      }
      """, to: "nginx.conf")
    try Child.shell("mkdir '\(folder)/files'; head -c 1000000 /dev/urandom > '\(folder)/files/large'")
    server = try Child("/usr/sbin/nginx", ["-p", folder, "-c", "nginx.conf", "-e", "error.log"])
    try waitForListener(port: plainPort)
  }

  func stop() { server.terminate() }

  /// The URLs of `path`, with TLS and without, each with an origin that makes HTTP/2 of it.
  func variants(_ path: String, bodyLimit: Int = 8 << 20) -> [(url: String, origin: TransportOrigin)] {
    let trusted = certificates.file("ca.pem")
    return [
      ("https://127.0.0.1:\(securePort)\(path)", .test(bodyLimit: bodyLimit, trusted: trusted)),
      (
        "https://127.0.0.1:\(securePort)\(path)",
        .test(version: .http2, bodyLimit: bodyLimit, trusted: trusted)
      ),
      ("http://127.0.0.1:\(plainPort)\(path)", .test(version: .http2, bodyLimit: bodyLimit)),
    ]
  }
}
