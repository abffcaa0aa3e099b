import Configuration
import TestSupport
import Testing

@Suite("Mutated configuration files")
struct MutationTests {
  private static let files =
    ["config/listway.yaml"] + Repository.files(in: "config/examples", suffix: ".yaml")
    + Repository.files(in: "Tests/Vectors/Configuration/pass", suffix: ".yaml")
    + Repository.files(in: "Tests/Vectors/Configuration/fail", suffix: ".yaml")

  /// Bits of files that change what the text around them means.
  private static let pieces = [
    "{", "}", "[", "]", ":", ",", "\"", "'", "\n", "  ", "- ", "? ", "&a ", "*a", "!", "|", ">", "#", "%",
    "~", "${", "}",
    "${TOKEN}", "file:/run/secrets/token", "{sid}", "{{", "null", "99999999999999999999", "-1", "\u{0}",
    "\u{FEFF}", "é",
    "---\n", "...\n", "<<", "/", "~2",
  ].map { Array($0.utf8) }

  @Test("random changes give a configuration or faults with a place, and never a crash", arguments: 0..<8)
  func survives(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for round in 0..<500 {
      let path = Self.files.randomElement(using: &random) ?? Self.files[0]
      var bytes = Repository.bytes(of: path)
      for _ in 0..<Int.random(in: 1...4, using: &random) { Self.mutate(&bytes, &random) }
      do {
        _ = try World.load(bytes: bytes, name: "f")
      } catch {
        let lineCount = bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
        #expect(!error.faults.isEmpty)
        for fault in error.faults {
          #expect((1...(lineCount + 1)).contains(fault.mark.line), "seed \(seed), round \(round): \(fault)")
          #expect(!fault.description.contains("s3cret"), "seed \(seed), round \(round): \(fault)")
          #expect(
            !fault.description.utf8.contains(UInt8(ascii: "\n")), "seed \(seed), round \(round): \(fault)")
        }
      }
    }
  }

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    let length = min(Int.random(in: 1...20, using: &random), bytes.count - place)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 1: bytes.removeSubrange(place..<place + length)
    case 2: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
    case 3:
      bytes.insert(
        contentsOf: bytes[place..<place + length], at: Int.random(in: 0...bytes.count, using: &random))
    case 4: bytes.removeSubrange(place...)
    default: bytes.replaceSubrange(place..<place + length, with: pieces.randomElement(using: &random) ?? [])
    }
  }
}
