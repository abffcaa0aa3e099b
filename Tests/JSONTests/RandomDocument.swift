import JSON
import TestSupport

/// What the generator knows about a value that it wrote.
struct Sample {
  var kind: Kind
  var range: Range<Int>
  /// Of an array's elements, or of an object's values.
  var children: [Sample] = []
  /// Of an object: each member's name, decoded, and where it is written.
  var names: [(text: String, range: Range<Int>)] = []
  /// Of a scalar other than null.
  var text: String?
}

/// Writes random JSON in random spelling, and remembers where each value went.
struct RandomDocument {
  private var random: SeededRandom
  private(set) var bytes: [UInt8] = []
  private(set) var root = Sample(kind: .null, range: 0..<0)

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    if chance(1, in: 20) { bytes += [0xEF, 0xBB, 0xBF] }
    space()
    root = value(depth: Int.random(in: 0...6, using: &random))
    space()
  }

  private mutating func chance(_ n: Int, in total: Int) -> Bool {
    Int.random(in: 0..<total, using: &random) < n
  }

  private mutating func space() {
    guard chance(1, in: 4) else { return }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      bytes.append([0x20, 0x0A, 0x0D, 0x09].randomElement(using: &random)!)
    }
  }

  private mutating func write(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

  private mutating func value(depth: Int) -> Sample {
    let start = bytes.count
    var sample: Sample
    switch depth > 0 ? Int.random(in: 0...8, using: &random) : Int.random(in: 4...8, using: &random) {
    case 0, 1: sample = object(depth: depth)
    case 2, 3: sample = array(depth: depth)
    case 4, 5:
      sample = Sample(kind: .string, range: 0..<0)
      sample.text = string()
    case 6:
      sample = Sample(kind: .number, range: 0..<0)
      sample.text = number()
    case 7:
      let word = chance(1, in: 2) ? "true" : "false"
      write(word)
      sample = Sample(kind: .bool, range: 0..<0)
      sample.text = word
    default:
      write("null")
      sample = Sample(kind: .null, range: 0..<0)
    }
    sample.range = start..<bytes.count
    return sample
  }

  private mutating func array(depth: Int) -> Sample {
    var sample = Sample(kind: .array, range: 0..<0)
    write("[")
    space()
    for index in 0..<Int.random(in: 0...5, using: &random) {
      if index > 0 {
        write(",")
        space()
      }
      sample.children.append(value(depth: depth - 1))
      space()
    }
    write("]")
    return sample
  }

  private mutating func object(depth: Int) -> Sample {
    var sample = Sample(kind: .object, range: 0..<0)
    write("{")
    space()
    for index in 0..<Int.random(in: 0...5, using: &random) {
      if index > 0 {
        write(",")
        space()
      }
      let start = bytes.count
      let name =
        chance(1, in: 3)
        ? quoted(["id", "data", "", "a/b", "m~n", "0"].randomElement(using: &random)!) : string()
      sample.names.append((name, start..<bytes.count))
      space()
      write(":")
      space()
      sample.children.append(value(depth: depth - 1))
      space()
    }
    write("}")
    return sample
  }

  private mutating func number() -> String {
    let start = bytes.count
    if chance(1, in: 3) { write("-") }
    write(chance(1, in: 4) ? "0" : digits(leadingZero: false))
    if chance(1, in: 3) { write("." + digits(leadingZero: true)) }
    if chance(1, in: 4) {
      write(["e", "E", "e+", "E-"].randomElement(using: &random)! + digits(leadingZero: true))
    }
    return String(decoding: bytes[start...], as: UTF8.self)
  }

  private mutating func digits(leadingZero: Bool) -> String {
    var text = String(Int.random(in: leadingZero ? 0...9 : 1...9, using: &random))
    for _ in 0..<[0, 1, 2, 5, 7, 8, 9, 16, 25].randomElement(using: &random)! {
      text += String(Int.random(in: 0...9, using: &random))
    }
    return text
  }

  /// Writes a random string, and returns what it stands for.
  private mutating func string() -> String {
    let length =
      chance(1, in: 50) ? Int.random(in: 0...500, using: &random) : Int.random(in: 0...12, using: &random)
    var text = String.UnicodeScalarView()
    write("\"")
    for _ in 0..<length {
      if chance(1, in: 60) {
        write(["\\ud800", "\\uDBFFx", "\\uDc00"].randomElement(using: &random)!)
        text.append("\u{FFFD}")
        if bytes.last == UInt8(ascii: "x") { text.append("x") }
        // Keeps a low half from following a high one by chance.
        write(" ")
        text.append(" ")
      } else {
        let scalar = scalar()
        write(scalar)
        text.append(scalar)
      }
    }
    write("\"")
    return String(text)
  }

  /// Writes `text` with random escapes, and returns it.
  private mutating func quoted(_ text: String) -> String {
    write("\"")
    for scalar in text.unicodeScalars { write(scalar) }
    write("\"")
    return text
  }

  private mutating func scalar() -> Unicode.Scalar {
    switch Int.random(in: 0...9, using: &random) {
    case 0...5: Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &random))
    case 6: Unicode.Scalar(UInt8.random(in: 0...0x1F, using: &random))
    case 7:
      ["\"", "\\", "/", "\u{7F}", "\u{2028}", "\u{FFFF}", "\u{10FFFF}", "{", "]"].randomElement(
        using: &random)!
    case 8: Unicode.Scalar(UInt32.random(in: 0x80...0xD7FF, using: &random))!
    default: Unicode.Scalar(UInt32.random(in: 0x1F300...0x1F6FF, using: &random))!
    }
  }

  private mutating func write(_ scalar: Unicode.Scalar) {
    let short: [Unicode.Scalar: String] = [
      "\"": "\\\"", "\\": "\\\\", "/": "\\/", "\u{8}": "\\b", "\u{C}": "\\f", "\n": "\\n", "\r": "\\r",
      "\t": "\\t",
    ]
    let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
    if let escape = short[scalar], mustEscape ? chance(4, in: 5) : chance(1, in: 2) {
      write(escape)
    } else if mustEscape || chance(1, in: 12) {
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16, uppercase: chance(1, in: 2))
        write("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
      }
    } else {
      write(String(scalar))
    }
  }
}
