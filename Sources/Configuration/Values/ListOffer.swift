package import Access

extension Configuration {
  /// What a list offers its clients, wherever it comes from.
  package protocol ListOffer: Sendable {
    var name: String { get }
    var title: String? { get }
    var description: String? { get }
    /// In the order of the file; ``Arguments`` count in this order.
    var parameters: [Parameter] { get }
    /// Who may read it.
    var access: Requirement { get }
    var prefetch: Prefetch { get }
    /// Items in a slice when the client does not say.
    var limit: Int { get }
    /// Items in a slice at most.
    var maxLimit: Int { get }
    /// Canonical bytes of what gives a position its meaning. A cursor is bound to a digest of them.
    var fingerprint: [UInt8] { get }
  }
}

extension Configuration.List: Configuration.ListOffer {}
