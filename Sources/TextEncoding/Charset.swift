/// A character set by the name that a `Content-Type` or a configuration gives it.
///
/// Some names are used for more than they mean: what calls itself GB2312 holds characters of GBK, Shift_JIS those of
/// Windows, and whoever declares US-ASCII sends UTF-8. Such a name stands for the larger set, in which the smaller one is
/// contained.
/// - SeeAlso: WHATWG Encoding Standard §4.2, which browsers go by.
package struct Charset: Sendable, Hashable {
  /// In lower case.
  package let label: String

  /// - Returns: nil for what cannot be the name of a character set (RFC 2978 §2.3), or is longer than 64 bytes.
  package init?(label: some Collection<UInt8>) {
    guard (1...64).contains(label.count), label.allSatisfy(Self.isNameByte) else { return nil }
    self.label = String(decoding: label, as: UTF8.self).lowercased()
  }

  /// Whether text of this set is UTF-8 already.
  package var isUTF8: Bool { Self.utf8.contains(label) }

  /// Whether `label` names UTF-8; the usual spelling is told without an allocation.
  package static func isUTF8(label: ArraySlice<UInt8>) -> Bool {
    if label.count == 5 {
      var isUsual = true
      for (byte, letter) in zip(label, usual) where byte != letter && (letter < 0x61 || byte | 0x20 != letter)
      {
        isUsual = false
      }
      if isUsual { return true }
    }
    return Charset(label: label)?.isUTF8 ?? false
  }

  /// Its name for iconv, which of the sets of 16 and 32 bits depends on what the text begins with: a byte order mark, or
  /// an ASCII character, as all of JSON does.
  package func converterName(for start: [UInt8]) -> String {
    let first = start.first ?? 0
    switch label {
    case "utf-16", "utf16", "unicode", "ucs-2", "iso-10646-ucs-2":
      if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) { return "UTF-16" }
      return first == 0 ? "UTF-16BE" : "UTF-16LE"
    case "utf-32", "utf32", "ucs-4", "iso-10646-ucs-4":
      if start.starts(with: [0, 0, 0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE, 0, 0]) {
        return "UTF-32"
      }
      return first == 0 ? "UTF-32BE" : "UTF-32LE"
    default: return Self.larger[label] ?? label
    }
  }

  private static let usual = Array("utf-8".utf8)
  private static let utf8: Set = [
    "utf-8", "utf8", "unicode-1-1-utf-8", "us-ascii", "ascii", "ansi_x3.4-1968",
  ]

  static let larger = [
    "gb2312": "GB18030", "gb_2312-80": "GB18030", "gbk": "GB18030", "x-gbk": "GB18030", "cp936": "GB18030",
    "euc-cn": "GB18030", "csgb2312": "GB18030",
    "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932", "ms_kanji": "CP932",
    "windows-31j": "CP932",
    "euc-kr": "CP949", "ks_c_5601-1987": "CP949", "ksc5601": "CP949", "x-windows-949": "CP949",
    "big5": "BIG5-HKSCS", "x-x-big5": "BIG5-HKSCS", "iso-8859-9": "CP1254", "tis-620": "CP874",
  ]

  /// Letters, digits and the marks that registered names hold. Without `/`, behind which iconv would take orders.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || "-_.:+()".utf8.contains(byte)
  }
}
