/// How an upstream says no inside a successful answer.
package struct Refusal: Sendable, Hashable {
  package enum Test: Sendable, Hashable {
    /// The value is one of these. A value that is absent is none of them.
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

  package let when: Locator
  package let test: Test
  /// Where the upstream's code is; nil: the value at ``when``.
  package let code: Locator?
  /// Where the upstream's message is: the first of these that holds one.
  package let message: [Locator]
  /// Codes that mean something of their own. Any other is ``Meaning/refused``.
  package let cases: [Case]

  package init(when: Locator, test: Test, code: Locator?, message: [Locator], cases: [Case]) {
    self.when = when
    self.test = test
    self.code = code
    self.message = message
    self.cases = cases
  }
}
