/// How an upstream says no: inside a successful answer, and where its words are when its HTTP status says so already.
package struct Refusal: Sendable, Hashable {
  package enum Test: Sendable, Hashable {
    /// The value is one of these. A value that is absent is none of them. With none to be, nothing in a successful answer
    /// is a refusal.
    case isAny([Scalar])
    /// The value is none of these, or absent.
    case isNone([Scalar])
    /// Something is there that says something: neither null, false, 0, `""`, `[]` nor `{}`.
    case present
    /// The opposite of ``present``.
    case absent
  }

  /// What a code stands for, where it is more than a refusal.
  package enum Meaning: Sendable, Hashable {
    case refused
    case sessionExpired
    case rateLimited
    case notFound
    /// The page asked for lies past the last one.
    case endOfList
    /// The position is too old for the upstream.
    case cursorExpired
  }

  package struct Case: Sendable, Hashable {
    package let code: Scalar
    package let meaning: Meaning

    package init(code: Scalar, meaning: Meaning) {
      self.code = code
      self.meaning = meaning
    }
  }

  /// The value that tells a refusal from a success.
  package let when: Locator
  package let test: Test
  /// Where the upstream's code is; nil: the value at ``when``.
  package let code: Locator?
  /// Where the upstream's message is: the first of these that holds one.
  package let message: [Locator]
  /// Codes that mean something of their own, and HTTP statuses that do where the code does not. Any other is
  /// ``Meaning/refused``.
  package let cases: [Case]

  package init(when: Locator, test: Test, code: Locator?, message: [Locator], cases: [Case]) {
    self.when = when
    self.test = test
    self.code = code
    self.message = message
    self.cases = cases
  }
}

extension Refusal {
  /// The rule of an upstream that refuses by its HTTP status only.
  package static func byStatus(code: Locator?, message: [Locator], cases: [Case]) -> Refusal {
    Refusal(when: code ?? .header("Status"), test: .isAny([]), code: code, message: message, cases: cases)
  }

  /// Whether nothing in a successful answer is a refusal.
  package var isByStatus: Bool { test == .isAny([]) }

  /// This rule where it knows refusals inside a successful answer; else those of `own` with both rules' words.
  func completed(by own: Refusal?) -> Refusal {
    guard isByStatus, let own else { return self }
    return Refusal(
      when: own.when, test: own.test, code: code ?? own.code, message: message + own.message,
      cases: cases + own.cases)
  }
}
