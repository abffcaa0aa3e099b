/// A decimal number of any size, exactly: `0.d₁d₂d₃… × 10^exponent`.
struct ExactDecimal: Hashable {
  private(set) var isNegative: Bool
  /// 0 to 9 each; neither the first nor the last is 0. None is the number 0, which has no sign.
  private(set) var digits: [UInt8] = []
  private(set) var exponent = 0

  /// Reads a number as RFC 8259 §6 spells it. Zeros before it and a plus sign, which strings may have, do no harm.
  ///
  /// An exponent beyond ±2^56 is taken as that.
  ///
  /// - Returns: nil for anything else.
  init?(_ text: UnsafeRawBufferPointer) {
    var scan = unsafe TextScan(text)
    isNegative = scan.skip(UInt8(ascii: "-"))
    if !isNegative { _ = scan.skip(UInt8(ascii: "+")) }
    guard takeDigits(&scan, areFraction: false) else { return nil }
    if scan.skip(UInt8(ascii: ".")) {
      guard takeDigits(&scan, areFraction: true) else { return nil }
    }
    if scan.skip(UInt8(ascii: "e")) || scan.skip(UInt8(ascii: "E")) {
      guard takePower(&scan) else { return nil }
    }
    guard scan.isAtEnd else { return nil }
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty { (isNegative, exponent) = (false, 0) }
  }

  /// - Returns: whether there was one at least.
  private mutating func takeDigits(_ scan: inout TextScan, areFraction: Bool) -> Bool {
    guard scan.digit != nil else { return false }
    while let digit = scan.takeDigit() {
      if digit == 0, digits.isEmpty {
        if areFraction { exponent -= 1 }
      } else {
        digits.append(digit)
        if !areFraction { exponent += 1 }
      }
    }
    return true
  }

  private mutating func takePower(_ scan: inout TextScan) -> Bool {
    let isNegative = scan.skip(UInt8(ascii: "-"))
    if !isNegative { _ = scan.skip(UInt8(ascii: "+")) }
    guard scan.digit != nil else { return false }
    var power = 0
    while let digit = scan.takeDigit() { power = min(power * 10 + Int(digit), 1 << 56) }
    exponent += isNegative ? -power : power
    return true
  }

  /// Divides by a power of ten.
  mutating func shift(by power: Int) { if !digits.isEmpty { exponent -= power } }
}
