/// Pages by a URL, absolute or relative, in the body or a header field. ``Says/next`` tells where it is.
package struct NextURL: Sendable, Hashable {
  package let size: PageSize?
  package let hosts: TrustedHosts

  package init(size: PageSize?, hosts: TrustedHosts) {
    self.size = size
    self.hosts = hosts
  }
}
