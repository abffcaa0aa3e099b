internal import HTTPSemantics

/// Text with places for parameters, compiled for the place it is sent in.
///
/// Its literal parts are encoded already; a parameter's value is encoded when it is rendered, so that no value can
/// leave its place: add a query field, end a path segment, a JSON string or a header line.
package struct Template: Sendable, Equatable {
  /// Where the text goes, which decides how it is encoded.
  package enum Place: Sendable, Equatable {
    /// A value in the query: percent-encoded (RFC 3986 §2.1).
    case query
    /// A value in a form body (`application/x-www-form-urlencoded`).
    case form
    /// One path segment or a part of it: percent-encoded. Never empty, `.` or `..` as a whole.
    case segment
    /// The inside of a JSON string (RFC 8259 §7); the quotation marks are not part of it.
    case jsonString
    /// A header field value: as it is, without control characters.
    case header
  }

  /// What a template is made from.
  package enum Piece: Sendable, Equatable {
    /// As its author wrote it, not encoded.
    case text(String)
    /// The index of a parameter.
    case parameter(Int)
  }

  enum Part: Sendable, Equatable {
    /// Encoded for the template's place.
    case literal([UInt8])
    case parameter(Int)
  }

  package let place: Place
  let parts: [Part]

  package init(_ pieces: [Piece], for place: Place) {
    var parts: [Part] = []
    var literal: [UInt8] = []
    for piece in pieces {
      switch piece {
      case .text(let text): Self.encode(Array(text.utf8), for: place, into: &literal)
      case .parameter(let index):
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = []
        parts.append(.parameter(index))
      }
    }
    if !literal.isEmpty { parts.append(.literal(literal)) }
    self.place = place
    self.parts = parts
  }

  /// - Parameter parts: encoded for `place`.
  init(parts: [Part], place: Place) {
    self.place = place
    self.parts = parts
  }

  /// The indexes of the parameters in it.
  package var parameters: [Int] {
    parts.compactMap { if case .parameter(let index) = $0 { index } else { nil } }
  }

  /// Whether every parameter in it has a value.
  package func isComplete(with arguments: Arguments) -> Bool {
    for case .parameter(let index) in parts where arguments.values[index] == nil { return false }
    return true
  }

  /// Appends the encoded text.
  ///
  /// - Precondition: ``isComplete(with:)``.
  /// - Throws: ``TemplateFailure`` when a value cannot stand in this place however it is encoded.
  package func append(_ arguments: Arguments, into output: inout [UInt8]) throws(TemplateFailure) {
    let start = output.count
    for part in parts {
      switch part {
      case .literal(let bytes): output.append(contentsOf: bytes)
      case .parameter(let index):
        guard let value = arguments.values[index] else { preconditionFailure("rendered without a value") }
        if place == .segment || place == .header, let byte = value.text.first(where: Self.isControl) {
          throw TemplateFailure(parameter: index, reason: .controlCharacter(byte))
        }
        Self.encode(value.text, for: place, into: &output)
      }
    }
    if place == .segment, let last = parameters.last, Self.isDotsOrEmpty(output[start...]) {
      throw TemplateFailure(parameter: last, reason: .segment)
    }
  }

  private static func encode(_ bytes: [UInt8], for place: Place, into output: inout [UInt8]) {
    switch place {
    case .query: PercentEncoding.encode(bytes.span, for: .query, into: &output)
    case .form: PercentEncoding.encode(bytes.span, for: .form, into: &output)
    case .segment: PercentEncoding.encode(bytes.span, for: .segment, into: &output)
    case .jsonString: JSONText.escape(bytes.span, into: &output)
    case .header: output.append(contentsOf: bytes)
    }
  }

  private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

  /// Servers resolve `.` and `..` even when they are percent-encoded, and an empty segment names another resource.
  private static func isDotsOrEmpty(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") }
  }
}

/// Literal parts may hold secrets, and are not shown.
extension Template: CustomStringConvertible, CustomReflectable {
  package var description: String { "(template of \(parts.count) parts)" }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// A value that cannot be sent where its template stands: the client's fault, not the upstream's.
package struct TemplateFailure: Error, Equatable {
  /// The index of the parameter.
  package let parameter: Int
  package let reason: Reason

  package init(parameter: Int, reason: Reason) {
    self.parameter = parameter
    self.reason = reason
  }

  package enum Reason: Sendable, Equatable {
    /// The value makes a whole path segment empty, `.` or `..`.
    case segment
    /// The value holds a control character, which neither a path nor a header field can carry.
    case controlCharacter(UInt8)
  }

  /// What is wrong, to follow the parameter's name: `may not be empty, "." or ".."`.
  package var message: String {
    switch reason {
    case .segment: #"may not be empty, "." or "..""#
    case .controlCharacter: "may not contain control characters"
    }
  }
}
