/// What one place of the file may hold.
///
/// One table serves three: the decoder checks a file by it, the errors name what is allowed from it, and
/// `listway.schema.json` is held to it by a test.
package indirect enum Schema: Sendable {
  case boolean
  case integer(ClosedRange<Int>)
  /// A decimal number.
  case number(ClosedRange<Double>)
  /// A whole number and `ms`, `s`, `m`, `h` or `d`.
  case duration(ClosedRange<Duration>)
  /// A whole number of bytes and `B`, `kB`, `MB`, `GB`, `KiB`, `MiB` or `GiB`.
  case size(ClosedRange<Int>)
  /// One of these words.
  case word([String])
  case text(TextKind)
  /// Text, a number, `true` or `false`, read by the rules of what it belongs to.
  case scalar
  /// Anything that JSON can say.
  case json
  /// A list of as many elements as the range says.
  case sequence(Schema, count: ClosedRange<Int>)
  /// A mapping of these keys and no others.
  case mapping([Key])
  /// A mapping of these keys; the word at `key` chooses which others may stand beside it.
  case variants(key: String, about: String, [Variant])
  /// A mapping of names that the file chooses.
  case named(NameKind, Schema)
  /// A mapping of these keys, in which every other is a name that the file chooses.
  case open([Key], NameKind, Schema)
  /// One of several, told apart by whether the file gives a scalar, a list or a mapping.
  case either([Schema])

  package struct Variant: Sendable {
    package let word: String
    package let keys: [Key]

    init(_ word: String, _ keys: [Key]) {
      self.word = word
      self.keys = keys
    }
  }

  /// A key of a mapping.
  package struct Key: Sendable {
    package let name: String
    package let shape: Schema
    package let isRequired: Bool
    /// What it is for, in a sentence, and its default.
    package let about: String

    init(_ name: String, _ shape: Schema, isRequired: Bool = false, _ about: String) {
      self.name = name
      self.shape = shape
      self.isRequired = isRequired
      self.about = about
    }
  }

  /// What a text must be.
  package enum TextKind: String, Sendable, CaseIterable {
    case prose = "text"
    case address = "an IPv4 or IPv6 address, any, or unix:/path"
    case url = "an http or https URL"
    case upstream = "the name of an upstream"
    case list = "the name of a list"
    case absolutePath = "an absolute path"
    case secret = "a secret"
    case template = "text, with {parameter} where a parameter's value goes"
    case pathTemplate = "a path, with {parameter} where a parameter's value goes"
    case pointer = "a JSON Pointer such as /data/items"
    case locator = "a JSON Pointer, header:NAME, link:RELATION, item:POINTER or /a[name=value]/b"
    case field = "a name"
    case charset = "a character set that iconv knows, such as GBK, Shift_JIS or ISO-8859-1"
    case day = "a date, YYYY-MM-DD, or a {parameter} of the type date"
    case timeForm = "seconds, milliseconds, or a pattern such as YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ"
    case digest = "a SHA-256 digest of 64 hexadecimal digits"
    case zone = "a distance from UTC such as +08:00"
  }

  /// What a name that the file chooses must be.
  package enum NameKind: String, Sendable, CaseIterable {
    /// Of an upstream or a list: it stands in URLs, logs and metric labels.
    case entity = "letters, digits, _ - and ., 64 at most, a letter or digit first"
    /// Of a parameter of a list.
    case parameter = "letters, digits, _ and -, 64 at most, a letter or _ first"
    /// Of a query or form field.
    case field = "a name of 1 to 256 bytes"
    /// Of a header field.
    case header = "letters, digits and !#$%&'*+-.^_`|~"
    /// Of a token's claim.
    case claim = "a claim's name, or a JSON Pointer"
  }
}
