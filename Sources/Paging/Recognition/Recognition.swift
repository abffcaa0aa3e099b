/// What an upstream's first answer tells of its list: how it pages, where the items are, and why that is thought.
package struct Recognition: Sendable, Hashable {
  package enum Verdict: Sendable, Hashable {
    /// A list, and how to walk it.
    case list(Proposal)
    /// An answer that says that there is nothing, without the place where items would be.
    case empty
    /// The upstream's own business failure.
    case refused(code: String?, message: String?, meaning: Refusal.Meaning)
    /// Not sure. ``Recognition/missing`` says what would have to be declared.
    case unsure
  }

  package let verdict: Verdict
  package let observations: [Observation]
  /// What could not be told, each with what to declare. Empty unless the verdict is `unsure`.
  package let missing: [String]

  package init(verdict: Verdict, observations: [Observation], missing: [String]) {
    self.verdict = verdict
    self.observations = observations
    self.missing = missing
  }

  /// The proposal where everything in it was seen, so that a walk may go by it without anybody having looked at it.
  package var certain: Proposal? {
    if case .list(let proposal) = verdict, proposal.confidence == .certain { proposal } else { nil }
  }
}

/// How far something that was recognised is to be trusted.
package enum Confidence: UInt8, Sendable, Hashable, Comparable {
  /// Usual where an answer looks like this, but nothing in it proves it: to be confirmed by a second page.
  case likely = 0
  /// Seen.
  case certain = 1

  package static func < (left: Confidence, right: Confidence) -> Bool { left.rawValue < right.rawValue }
}

/// One thing that was seen, and what it says.
package struct Observation: Sendable, Hashable {
  /// What it is about.
  package enum Part: String, Sendable, Hashable, CaseIterable {
    case answer, items, id, total, pageCount, page, more, next, paging, size
  }

  package let part: Part
  package let confidence: Confidence
  /// What was seen and why it says so: `/data/total is 1037, and 20 items are here`.
  package let reason: String

  package init(_ part: Part, _ confidence: Confidence, _ reason: String) {
    self.part = part
    self.confidence = confidence
    self.reason = reason
  }
}
