extension Charset {
  /// Whether an answer may say of itself that it is of this set: those that browsers know, by the names that iconv has for
  /// them, and the sets of 32 bits. A configuration may name any set.
  /// - SeeAlso: WHATWG Encoding Standard §4.2.
  package var isDeclarable: Bool { isUTF8 || Self.larger[label] != nil || Self.declarable.contains(label) }

  static let declarable = Set(
    """
    866 cp866 csibm866 ibm866 csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2
    latin2 csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3 csisolatin4
    iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4 csisolatincyrillic cyrillic
    iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 arabic asmo-708 csisolatinarabic ecma-114
    iso-8859-6 iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 csisolatingreek ecma-118 elot_928 greek
    greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 csisolatinhebrew hebrew iso-8859-8
    iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 csisolatin6 iso-8859-10 iso-ir-157 iso8859-10
    iso885910 l6 latin6 iso-8859-13 iso8859-13 iso885913 iso-8859-14 iso8859-14 iso885914 iso-8859-15 iso8859-15
    iso885915 iso_8859-15 iso-8859-16 cskoi8r koi8 koi8-r koi8-ru koi8-u csmacintosh mac macintosh iso-8859-11
    iso8859-11 iso885911 windows-874 cp1250 windows-1250 cp1251 windows-1251 cp1252 cp819 csisolatin1 ibm819
    iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 windows-1252 cp1253 windows-1253
    cp1254 csisolatin5 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 cp1255
    windows-1255 cp1256 windows-1256 cp1257 windows-1257 cp1258 windows-1258 gb18030 big5-hkscs cn-big5
    cseucpkdfmtjapanese euc-jp csiso2022jp iso-2022-jp csshiftjis ms932 cseuckr csunicode iso-10646-ucs-2 ucs-2
    unicode utf-16 utf-16be utf-16le utf16 utf-32 utf32 utf-32be utf-32le ucs-4 iso-10646-ucs-4
    """.split { $0 == " " || $0 == "\n" }.map(String.init))
}
