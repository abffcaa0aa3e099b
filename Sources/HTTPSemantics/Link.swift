/// One link of a `Link` field (RFC 8288 §3): where it leads, and how it relates.
package struct Link: Sendable, Equatable {
  /// The reference between `<` and `>`, as it stands. It may be relative; it is not decoded.
  package let target: [UInt8]
  /// Every relation type of the first `rel`, in lower case, in order.
  package let relations: [String]
  /// The other parameters, names in lower case, quotes and escapes taken off.
  package let parameters: [Parameter]

  package struct Parameter: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  /// The first parameter called `name`, which is in lower case.
  package func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Whether the link is about the document it came with. A link with an `anchor` speaks of another one.
  package var isAboutThisDocument: Bool { (parameter("anchor") ?? "").isEmpty }
}
