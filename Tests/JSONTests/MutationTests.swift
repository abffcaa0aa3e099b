import JSONReference
import TestSupport
import Testing

@testable import JSON

/// Three readers that share no code: the index, the scanner that looks for the place of a fault, and simdjson's own parser.
@Suite("Mutated documents")
struct MutationTests {
  @Test("are judged alike by the index, the scanner and simdjson", arguments: 0..<10)
  func agreement(batch: UInt64) throws {
    var random = SeededRandom(seed: 1_000_000 + batch)
    let parser = Parser(maximumDepth: 64)
    var valid = 0
    var invalid = 0
    for round in 0..<1_000 {
      var bytes =
        Int.random(in: 0..<4, using: &random) == 0
        ? (Vector.pass + Vector.fail).randomElement(using: &random)!.bytes
        : RandomDocument(seed: random.next()).bytes
      if bytes.count > 4_000 { bytes.removeLast(bytes.count - 4_000) }
      for _ in 0..<Int.random(in: 0...3, using: &random) { mutate(&bytes, using: &random) }
      if let difference = difference(of: bytes, parser: parser) {
        Issue.record(
          "batch \(batch), round \(round): \(difference): \(String(decoding: bytes, as: UTF8.self))")
      }
      if (try? parser.parse(Bytes(copying: bytes))) != nil { valid += 1 } else { invalid += 1 }
    }
    // Else the mutations say nothing.
    #expect(valid > 200 && invalid > 200)
  }

  /// How the three differ, if they do.
  private func difference(of bytes: [UInt8], parser: Parser) -> String? {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let scanned = bytes.withUnsafeBytes { bytes in
      Result { () throws(Failure) in
        var scanner = Scanner(bytes, from: start, maximumDepth: 64)
        return try scanner.scan()
      }
    }
    let parsed = Result { () throws(Failure) in try parser.parse(Bytes(copying: bytes)) }
    switch (parsed, scanned) {
    case (.success(let document), .success(let root)):
      if document.range(of: document.root).lowerBound != root { return "another root" }
    case (.failure(let fault), .failure(let scannedFault)):
      if fault != scannedFault { return "another fault" }
    case (.success, .failure(let fault)):
      return "the index passes, the scanner says \(fault)"
    case (.failure(let fault), .success):
      return "the scanner passes, the index says \(fault)"
    }

    let text = String(decoding: bytes, as: UTF8.self)
    switch (listway_reference_parse(Array(bytes[start...]), bytes.count - start), parsed) {
    case (listway_reference_valid, .failure(let fault)):
      return fault.kind == .tooDeep ? nil : "simdjson passes, the index says \(fault)"
    case (listway_reference_invalid, .success):
      return "the index passes, simdjson does not"
    case (listway_reference_number, .success):
      // Numbers that are JSON and that no machine number holds.
      return text.contains(/[0-9]{19}|[0-9][eE]/) ? nil : "a number that simdjson refuses"
    case (listway_reference_string, .success):
      return text.contains(/\\u[dD][89a-fA-F]/) ? nil : "a string that simdjson refuses"
    default:
      return nil
    }
  }

  private func mutate(_ bytes: inout [UInt8], using random: inout SeededRandom) {
    let interesting =
      Array("{}[]:,\"\\/bfnrtu0123456789.eE+-aftsl \n\t'".utf8) + [
        0, 0x0C, 0x1A, 0x7F, 0x80, 0xC3, 0xED, 0xFF,
      ]
    guard !bytes.isEmpty else { return bytes.append(interesting.randomElement(using: &random)!) }
    let at = Int.random(in: 0..<bytes.count, using: &random)
    let end = min(bytes.count, at + Int.random(in: 1...20, using: &random))
    switch Int.random(in: 0...6, using: &random) {
    case 0: bytes[at] = interesting.randomElement(using: &random)!
    case 1: bytes.insert(interesting.randomElement(using: &random)!, at: at)
    case 2: bytes.remove(at: at)
    case 3: bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &random)
    case 4: bytes.removeSubrange(at..<end)
    case 5: bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...bytes.count, using: &random))
    default: bytes.removeLast(bytes.count - at)
    }
  }
}
