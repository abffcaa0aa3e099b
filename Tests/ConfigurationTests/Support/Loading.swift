import Configuration
import YAMLReader

/// The world that the files of the tests are loaded in.
enum World {
  static let environment = [
    "EMPTY": "", "PORT": "8081", "WORD": "warn", "TOKEN": "s3cret-{sid}-\"token\"", "SHORT": "hidden",
    "NUMBER": "77", "SECRETS": "/run/secrets",
    "LONG_KEY": "a passphrase that is long enough",
  ]
  static let files: [String: [UInt8]] = [
    "/run/secrets/key": Array("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n".utf8),
    "/run/secrets/empty": [], "/run/secrets/binary": [0xFF, 0xFE, 0x00],
    "/run/secrets/token": Array("file-s3cret\r\n".utf8),
    "/etc/ssl/ca.pem": Array("-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n".utf8),
    "/etc/ssl/key.pem": Array("-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\n".utf8),
    "/etc/listway/keys.json": Array(
      #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#.utf8),
    "/etc/listway/no-keys.json": Array(#"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#.utf8),
    "/etc/hostname": Array("here\n".utf8),
  ]

  static func load(_ text: some StringProtocol, name: String = "test.yaml") throws(ConfigurationFaults)
    -> Configuration
  {
    try load(bytes: Array(text.utf8), name: name)
  }

  static func load(bytes: [UInt8], name: String) throws(ConfigurationFaults) -> Configuration {
    try ConfigurationFile.load(
      text: bytes, name: name, environment: { environment[$0] },
      secretFile: { path in
        if path == "/run/secrets/locked" { return .unreadable("Permission denied") }
        return files[path].map { .content($0) } ?? .unreadable("No such file or directory")
      })
  }

  /// The faults of a file, one a line; empty where it is good.
  static func faults(_ bytes: [UInt8], name: String) -> String {
    do {
      _ = try load(bytes: bytes, name: name)
      return ""
    } catch {
      return error.description
    }
  }

  static func faults(_ text: String) -> String { faults(Array(text.utf8), name: "test.yaml") }
}
