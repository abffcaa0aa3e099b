/// The value of a JSON number when it is whole and fits, however it is written; else nil.
///
/// - Parameter text: a number as RFC 8259 §6 defines it.
func exactInteger(_ text: UnsafeRawBufferPointer) -> Int? {
  var position = 0
  let isNegative = unsafe text[0] == UInt8(ascii: "-")
  if isNegative { position = 1 }

  // The usual case first: up to 18 digits and nothing else.
  var value = 0
  if text.count - position <= 18 {
    var at = position
    while at < text.count, case let digit = unsafe text[at] &- UInt8(ascii: "0"), digit < 10 {
      value = value &* 10 &+ Int(digit)
      at += 1
    }
    if at == text.count { return isNegative ? -value : value }
  }

  // Significant digits, and the power of ten that they are multiplied by.
  var digits: [UInt8] = []
  var power = 0
  var isFraction = false
  scan: while position < text.count {
    let byte = unsafe text[position]
    switch byte {
    case UInt8(ascii: "."):
      isFraction = true
    case UInt8(ascii: "e"), UInt8(ascii: "E"):
      power += unsafe exponent(UnsafeRawBufferPointer(rebasing: text[(position + 1)...]))
      break scan
    default:
      if isFraction { power -= 1 }
      if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte - UInt8(ascii: "0")) }
    }
    position += 1
  }
  while digits.last == 0 {
    digits.removeLast()
    power += 1
  }
  if digits.isEmpty { return 0 }
  guard power >= 0, digits.count + power <= 19 else { return nil }
  // Built up on the negative side, which is larger by one.
  value = 0
  for digit in digits + repeatElement(0, count: power) {
    let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
    let (sum, isTooLargeNow) = tens.subtractingReportingOverflow(Int(digit))
    if isTooLarge || isTooLargeNow { return nil }
    value = sum
  }
  if isNegative { return value }
  return value == .min ? nil : -value
}

/// An exponent with its sign; one too large to matter is taken as one that is just as much too large.
private func exponent(_ text: UnsafeRawBufferPointer) -> Int {
  var value = 0
  for position in 0..<text.count {
    let digit = unsafe text[position] &- UInt8(ascii: "0")
    // No body has so many digits that this power could be balanced by them.
    if digit < 10 { value = min(value * 10 + Int(digit), 1 << 40) }
  }
  return unsafe text.first == UInt8(ascii: "-") ? -value : value
}
