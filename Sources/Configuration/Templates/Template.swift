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
}

/// A value that cannot be sent where its template stands: the client's fault, not the upstream's.
package struct TemplateFailure: Error, Equatable {
  /// The index of the parameter.
  package let parameter: Int
  package let reason: Reason

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
