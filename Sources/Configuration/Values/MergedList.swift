package import Access
package import Paging

extension Configuration {
  /// A list that clients read at `/v1/lists/NAME`, made of others.
  package struct MergedList: Sendable, Equatable, ListOffer {
    /// A list of an upstream whose items come up here, directly or through other merged lists.
    package struct Leaf: Sendable, Equatable {
      /// An index into ``Configuration/lists``.
      package let list: Int
      /// For each parameter of that list the index of the merged list's that has its name.
      package let arguments: [Int]
      /// What is read of its items, for each list from this one down to the one that it is a source of.
      package let marks: [MarkReading]
      /// The names of the sources that it comes through, from this list down, as far as its items say so.
      package let tags: [String]
      /// How long it is waited for when others are there; nil: as long as its upstream may take.
      package let wait: Duration?
    }

    package let name: String
    package let title: String?
    package let description: String?
    /// The word of the file: merge, concat or interleave.
    package let strategy: String
    /// The names of the lists that it is made of.
    package let sources: [String]
    /// Those of all sources, by name.
    package let parameters: [Parameter]
    package let plan: MergePlan
    /// As many as the plan's.
    package let leaves: [Leaf]
    /// That of all its sources.
    package let access: Requirement
    package let prefetch: Prefetch
    package let limit: Int
    package let maxLimit: Int
    package let fingerprint: [UInt8]
  }

  /// Lists that are served, of either kind: first those of an upstream.
  package var offers: [any ListOffer] { lists + merged }
  package var listCount: Int { lists.count + merged.count }
  package var listNames: [String] { lists.map(\.name) + merged.map(\.name) }
}
