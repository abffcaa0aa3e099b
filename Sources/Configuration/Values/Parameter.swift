package import JSON

/// A parameter that a list takes from its clients' query or their tokens, or a call from its clients' query or content.
package struct Parameter: Sendable, Equatable {
  package let name: String
  package let kind: Kind
  /// A required parameter has no default.
  package let isRequired: Bool
  /// Taken where the client gives none.
  package let defaultValue: ParameterValue?
  /// The only values allowed; empty allows all that the type and the bounds allow.
  package let allowed: [ParameterValue]
  /// Inclusive; for integers, numbers and dates.
  package let minimum: ParameterValue?
  package let maximum: ParameterValue?
  /// In Unicode scalars; for strings.
  package let minLength: Int
  package let maxLength: Int
  package let description: String?
  /// Where a client's token has its value; nil where the client gives it. What comes from the token, a client cannot set.
  package var claim: Pointer?

  package enum Kind: String, Sendable, CaseIterable {
    case string, integer, number, boolean, date
    /// JSON, passed through as it is; of calls only.
    case object, array

    package var isStructured: Bool { self == .object || self == .array }

    var withArticle: String {
      self == .integer || isStructured ? "an \(rawValue)" : "a \(rawValue)"
    }
  }

  /// The ceiling of ``maxLength``, and its default.
  package static let longest = 1024

  package init(
    name: String, kind: Kind, isRequired: Bool, defaultValue: ParameterValue?, allowed: [ParameterValue],
    minimum: ParameterValue?, maximum: ParameterValue?, minLength: Int, maxLength: Int, description: String?
  ) {
    self.name = name
    self.kind = kind
    self.isRequired = isRequired
    self.defaultValue = defaultValue
    self.allowed = allowed
    self.minimum = minimum
    self.maximum = maximum
    self.minLength = minLength
    self.maxLength = maxLength
    self.description = description
  }
}

/// A parameter's value: checked, and kept as the text it was given in.
///
/// The text is canonical: an integer, boolean or date is written in one way only, so equal values have equal bytes
/// (a number may be written `1.0` or `1`).
package struct ParameterValue: Sendable, Hashable {
  package let kind: Parameter.Kind
  /// UTF-8. Integers and numbers follow JSON's grammar (RFC 8259 §6), booleans are `true` or `false`, dates
  /// `YYYY-MM-DD` (RFC 3339 full-date), objects and arrays JSON as it came.
  package let text: [UInt8]

  /// - Precondition: `text` has been checked to be of `kind`.
  init(checked text: [UInt8], kind: Parameter.Kind) {
    self.kind = kind
    self.text = text
  }
}

/// The values of a list's parameters for one request, one a parameter, in their order; nil where an optional parameter
/// was not given.
package struct Arguments: Sendable, Equatable {
  package var values: [ParameterValue?]

  package init(_ values: [ParameterValue?]) { self.values = values }
}
