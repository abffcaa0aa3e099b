/// Hosts that a next URL may name. Only its path and query are ever used, and only at the upstream's own origin.
package struct TrustedHosts: Sendable, Hashable {
  /// The upstream's own host name, in lower case, without a port.
  package let own: String
  /// Other names that it goes by behind its proxy, in lower case. Names that only an inner network has (one label,
  /// `localhost`, `.internal`, `.local`, private addresses) need not be listed.
  package let aliases: [String]

  package init(own: String, aliases: [String]) {
    self.own = own
    self.aliases = aliases
  }
}
