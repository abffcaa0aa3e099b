package import Caching
package import HTTPSemantics
package import JSON

/// A page as it is stored: the upstream's answer as it came, and what the cache made of it.
///
/// The answer is kept, and not what was read out of it: it is read again by the program that finds it, which may be a newer
/// one.
package struct StoredPage: Sendable {
  package var status: Int
  package var fields: Fields
  package var body: Bytes
  /// ``TransportResponse/redirectedTarget``.
  package var redirectedTarget: [UInt8]?
  /// The edition of the series that it belongs to.
  package var edition: UInt32
  package var lifetime: StoredLifetime

  package init(_ response: TransportResponse, edition: UInt32, _ lifetime: StoredLifetime) {
    self.init(
      status: response.status, fields: Self.kept(response.fields), body: response.body,
      redirectedTarget: response.redirectedTarget, edition: edition, lifetime)
  }

  init(
    status: Int, fields: Fields, body: Bytes, redirectedTarget: [UInt8]?, edition: UInt32,
    _ lifetime: StoredLifetime
  ) {
    self.status = status
    self.fields = fields
    self.body = body
    self.redirectedTarget = redirectedTarget
    self.edition = edition
    self.lifetime = lifetime
  }

  /// The answer, to be read as if it had come just now.
  package var response: TransportResponse {
    TransportResponse(status: status, fields: fields, body: body, redirectedTarget: redirectedTarget)
  }

  /// What it takes, about.
  package var byteCount: Int {
    body.count + fields.byteCount + 12 * fields.count + (redirectedTarget?.count ?? 0) + 64
  }

  /// All fields but those that are for one client, or for one connection: any other may say where the next page is.
  private static func kept(_ fields: Fields) -> Fields {
    var kept = Fields()
    kept.reserve(lines: fields.count, bytes: fields.byteCount)
    for index in 0..<fields.count {
      let field = fields[index]
      // Those names are letters and hyphens, which this makes small.
      if dropped.contains(where: { $0.lowercased.elementsEqual(field.name.lazy.map { $0 | 0x20 }) }) {
        continue
      }
      kept.append(field.name.span, field.value.span)
    }
    return kept
  }

  private static let dropped: [FieldName] = [
    .setCookie, .connection, .transferEncoding, .contentLength, .contentEncoding, .wwwAuthenticate,
    "Authentication-Info", "Keep-Alive", "Set-Cookie2",
  ]
}

/// Until when a stored page is what, by the clock that all machines share: Unix milliseconds.
package struct StoredLifetime: Sendable, Hashable {
  package var born: Int64
  package var freshUntil: Int64
  package var staleUntil: Int64
  package var keepUntil: Int64
  package var mustRevalidate: Bool

  package init(
    born: Int64, freshUntil: Int64, staleUntil: Int64, keepUntil: Int64, mustRevalidate: Bool
  ) {
    self.born = born
    self.freshUntil = freshUntil
    self.staleUntil = staleUntil
    self.keepUntil = keepUntil
    self.mustRevalidate = mustRevalidate
  }

  /// - Parameters:
  ///   - now: the same moment as `unixMilliseconds`.
  package init(_ lifetime: Lifetime, at now: ContinuousClock.Instant, unixMilliseconds: Int64) {
    func wall(_ instant: ContinuousClock.Instant) -> Int64 {
      // What is kept for ever is kept for a hundred years.
      let distance = min(max(now.duration(to: instant), .zero - Self.century), Self.century)
      return unixMilliseconds + Int64(distance / .milliseconds(1))
    }
    self.init(
      born: wall(lifetime.born), freshUntil: wall(lifetime.freshUntil), staleUntil: wall(lifetime.staleUntil),
      keepUntil: wall(lifetime.keepUntil), mustRevalidate: lifetime.mustRevalidate)
  }

  /// By this process's clock. What a clock that has been set back makes out to be of the future is of now.
  package func lifetime(at now: ContinuousClock.Instant, unixMilliseconds: Int64) -> Lifetime {
    let ahead = max(0, born - unixMilliseconds)
    func instant(_ wall: Int64) -> ContinuousClock.Instant {
      let (distance, overflow) = (wall - ahead).subtractingReportingOverflow(unixMilliseconds)
      let bounded = min(
        max(Duration.milliseconds(overflow ? 0 : distance), .zero - Self.century), Self.century)
      return now.advanced(by: bounded)
    }
    return Lifetime(
      born: instant(born), freshUntil: instant(freshUntil), staleUntil: instant(staleUntil),
      keepUntil: instant(keepUntil), mustRevalidate: mustRevalidate)
  }

  private static let century = Duration.seconds(3_155_760_000)
}
