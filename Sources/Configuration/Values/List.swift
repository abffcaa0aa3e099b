package import Access
package import Paging

extension Configuration {
  /// A list that clients read at `/v1/lists/NAME`, from one upstream request.
  package struct List: Sendable, Equatable {
    package let name: String
    package let title: String?
    package let description: String?
    /// An index into ``Configuration/upstreams``.
    package let upstream: Int
    /// In the order of the file; ``Arguments`` and ``Template`` count in this order.
    package let parameters: [Parameter]
    package let request: RequestTemplate
    /// What fetches every page but the first; nil where that is ``request``.
    package let following: RequestTemplate?
    /// How the list is walked; shared by all its walks. Where that is to be recognised, only shifts and limits count.
    package let plan: WalkPlan
    /// What a walk's first answer is recognised by; nil where ``plan`` is the file's.
    package let recognition: Recognition?
    package let prefetch: Prefetch
    /// Items in a slice when the client does not say.
    package let limit: Int
    /// Items in a slice at most.
    package let maxLimit: Int
    /// Canonical bytes of what gives a position its meaning (upstream, request, paging, items, says), whatever the
    /// file's layout and order. Values from the environment and from files stand as their names, so a renewed secret
    /// does not end the walks under way. A cursor is bound to a digest of it.
    package let fingerprint: [UInt8]
    /// How long its pages are what.
    package var keeping = Keeping.defaults
    /// Who may read it.
    package var access = Requirement.nobodyInParticular
    /// What its items are completed with; nil where they are what the upstream gives.
    package var enrichment: Enrichment?

    package init(
      name: String, title: String?, description: String?, upstream: Int, parameters: [Parameter],
      request: RequestTemplate, following: RequestTemplate?, plan: WalkPlan, recognition: Recognition?,
      prefetch: Prefetch, limit: Int,
      maxLimit: Int,
      fingerprint: [UInt8]
    ) {
      self.name = name
      self.title = title
      self.description = description
      self.upstream = upstream
      self.parameters = parameters
      self.request = request
      self.following = following
      self.plan = plan
      self.recognition = recognition
      self.prefetch = prefetch
      self.limit = limit
      self.maxLimit = maxLimit
      self.fingerprint = fingerprint
    }

    /// Items in a slice where neither file nor client say: 20, and 200 at most.
    package static let defaultLimit = 20
    package static let defaultMaxLimit = 200
  }

  /// How a list's paging is recognised.
  package struct Recognition: Sendable, Equatable {
    /// What the file says all the same.
    package let declared: Declared
    /// Those that a next URL may name.
    package let hosts: TrustedHosts

    package init(declared: Declared, hosts: TrustedHosts) {
      self.declared = declared
      self.hosts = hosts
    }
  }

  /// When a client should ask for the next slice, and when Listway fetches the upstream's next page before it does.
  package struct Prefetch: Sendable, Equatable {
    /// The part of a slice that has been shown by then, or of an upstream page that has been served; 0 to 1.
    package let threshold: Double
    /// How many upstream pages are fetched before anybody asks for them; 0 for none.
    package var pages = 0
    /// A page that was fetched ahead is fresh for so long at least, or it would be fetched in vain.
    package var holds = Duration.seconds(30)

    package init(threshold: Double) { self.threshold = threshold }

    package static let defaults = Prefetch(threshold: 0.7)
  }
}

extension WalkPlan: Equatable {
  package static func == (left: WalkPlan, right: WalkPlan) -> Bool {
    left.style == right.style && left.items == right.items && left.says == right.says
      && left.refusal == right.refusal && left.shifts == right.shifts && left.limits == right.limits
  }
}
