// Short ways from text to bytes and back, for the tests of this folder.

extension String {
  var bytes: [UInt8] { Array(utf8) }
}

/// Runs `write` on an empty buffer and returns what it wrote as text.
func written(_ write: (inout [UInt8]) -> Void) -> String {
  var output: [UInt8] = []
  write(&output)
  return String(decoding: output, as: UTF8.self)
}
