/// Pages by the `Link` header field (RFC 8288).
package struct LinkRelation: Sendable, Hashable {
  /// Usually `next`.
  package let relation: String
  package let size: PageSize?
  package let hosts: TrustedHosts

  package init(relation: String, size: PageSize?, hosts: TrustedHosts) {
    self.relation = relation
    self.size = size
    self.hosts = hosts
  }
}
