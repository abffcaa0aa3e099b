package import Caching
package import Configuration
import HTTPSemantics

/// What a page is known by outside of the process: the same over restarts, and for all replicas.
///
/// Of what a client asked with and identified itself by, only digests leave the process.
package struct StoreKey: Sendable, Hashable {
  package let list: String
  /// A digest of the list, of what it is made of, and of the client's arguments.
  package let series: [UInt8]
  /// A digest of all that tells pages apart, the client's scope included.
  package let page: [UInt8]

  package init(list: String, series: [UInt8], page: [UInt8]) {
    self.list = list
    self.series = series
    self.page = page
  }
}

/// Makes the keys of one list's stored pages.
package struct StoreKeys: Sendable {
  /// A cryptographic digest: nobody can find a second content for one, nor the content of one.
  package typealias Digest = @Sendable ([UInt8]) -> [UInt8]

  package let list: String
  private let digest: Digest
  /// Of the list as it is configured: of another list under the same name nothing is found.
  private let prefix: [UInt8]

  /// - Parameter account: whose pages they are: what the upstream is logged in to with; empty where it is not.
  package init(
    _ list: Configuration.List, of upstream: Configuration.Upstream, account: [UInt8],
    digest: @escaping Digest
  ) {
    self.list = list.name
    self.digest = digest
    prefix = digest(
      Self.joined([
        Array(list.name.utf8), Array(upstream.url.origin.utf8), Array(upstream.url.path.utf8),
        list.fingerprint, account,
      ]))
  }

  /// - Parameters:
  ///   - key: what the page is known by within the process.
  ///   - arguments: what of its series the client's arguments are.
  ///   - request: by which the page is asked for: what a field or the path is made of may come from the environment, and
  ///     differ from one replica to another, and from one start to the next.
  package func key(of key: PageKey, arguments: [UInt8], request: RenderedRequest) -> StoreKey {
    let series = Array(key.series)
    return StoreKey(
      list: list, series: self.series(arguments),
      page: digest(Self.joined([prefix, series, Array(key.bytes[key.seriesCount...])] + request.parts)))
  }

  /// What all pages of the list for these arguments have in common.
  package func series(_ arguments: [UInt8]) -> [UInt8] { digest(Self.joined([prefix, arguments])) }

  /// The parts, each behind its length: no two sequences of parts make the same bytes.
  static func joined(_ parts: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
      for shift in stride(from: 0, to: 32, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: part.count >> shift))
      }
      bytes += part
    }
    return bytes
  }
}

extension RenderedRequest {
  /// All that is sent.
  var parts: [[UInt8]] {
    var parts: [[UInt8]] = [Array(method.name.utf8), url, content ?? []]
    for index in 0..<fields.count {
      let field = fields[index]
      parts.append(Array(field.name))
      parts.append(Array(field.value))
    }
    return parts
  }
}
