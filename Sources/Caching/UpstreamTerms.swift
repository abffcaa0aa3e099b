package import HTTPSemantics

/// What an upstream's answer says of how it may be stored and checked again (RFC 9111, RFC 5861): for lists that leave it
/// to their upstream.
package struct UpstreamTerms: Sendable, Hashable {
  private var control: CacheControl
  private var hasControl: Bool
  /// Unix seconds; 0, which is long ago, where the field is no date (RFC 9111 §5.3).
  private var expires: Int64?
  private var date: Int64?
  private var lastModified: Int64?
  private var age: Int
  private var varies: Bool
  /// As they came, to be sent back.
  private var etagText: [UInt8]?
  private var lastModifiedText: [UInt8]?

  /// - Parameter now: Unix seconds.
  package init(_ fields: Fields, now: Int64) {
    let control = CacheControl(fields)
    self.control = control ?? CacheControl()
    hasControl = control != nil
    expires = fields.first(.expires).map { HTTPDate.parse($0.span, now: now) ?? 0 }
    date = fields.first(.date).flatMap { HTTPDate.parse($0.span, now: now) }
    lastModified = fields.first(.lastModified).flatMap { HTTPDate.parse($0.span, now: now) }
    age = fields.first(.age).flatMap { $0.span.decimal(in: 0..<$0.count) } ?? 0
    varies = fields.elements(.vary).contains { $0.elementsEqual([UInt8(ascii: "*")]) }
    etagText = fields.first(.etag).flatMap { ETag(parsing: $0.span) == nil ? nil : Array($0) }
    lastModifiedText = lastModified == nil ? nil : fields.first(.lastModified).map { Array($0) }
  }

  /// Whether a 304 can be had for it.
  package var canBeChecked: Bool { etagText != nil || lastModifiedText != nil }

  /// The conditions under which the upstream need not send the page again (RFC 9110 §13.1).
  package func appendConditions(to fields: inout Fields) {
    if let etagText { fields.append(.ifNoneMatch, etagText) }
    if let lastModifiedText { fields.append("If-Modified-Since", lastModifiedText) }
  }

  /// These terms with what a 304 has brought anew (RFC 9111 §4.3.4).
  package func updated(by answer: UpstreamTerms) -> UpstreamTerms {
    var terms = answer
    if !answer.hasControl {
      terms.control = control
      terms.hasControl = hasControl
    }
    terms.expires = answer.expires ?? expires
    terms.lastModified = answer.lastModified ?? lastModified
    terms.lastModifiedText = answer.lastModifiedText ?? lastModifiedText
    terms.etagText = answer.etagText ?? etagText
    // A date of an earlier answer would make the new one old.
    terms.varies = varies || answer.varies
    return terms
  }

  /// Until when a page may be what; nil where it must not be stored by a cache that many clients share.
  ///
  /// - Parameters:
  ///   - isAuthorized: whether the request had credentials (RFC 9111 §3.5).
  ///   - keep: how long the list holds a page for bad times, where the answer does not forbid it.
  ///   - requested: when the request was sent.
  ///   - received: when the answer had come; `now` is the same as Unix seconds.
  package func lifetime(
    isAuthorized: Bool, keep: Duration, requested: ContinuousClock.Instant, received: ContinuousClock.Instant,
    now: Int64
  ) -> Lifetime? {
    if control.isNoStore || control.isPrivate || varies { return nil }
    let allowsAuthorized = control.isPublic || control.mustRevalidate || control.sharedMaxAge != nil
    if isAuthorized && !allowsAuthorized { return nil }
    // RFC 9111 §4.2.3
    let apparentAge = Duration.seconds(max(0, now - (date ?? now)))
    let correctedAge = Duration.seconds(age) + requested.duration(to: received)
    let born = received - max(apparentAge, correctedAge)
    let freshUntil = control.isNoCache ? received : max(received, born + .seconds(freshSeconds(now)))
    // `s-maxage` implies `proxy-revalidate` (RFC 9111 §5.2.2.10).
    let mustRevalidate =
      control.mustRevalidate || control.proxyRevalidate || control.isNoCache || control.sharedMaxAge != nil
    let staleUntil =
      mustRevalidate ? freshUntil : freshUntil + .seconds(control.staleWhileRevalidate ?? 0)
    let keepUntil = control.staleIfError.map { freshUntil + .seconds($0) } ?? received + keep
    return Lifetime(
      born: born, freshUntil: freshUntil, staleUntil: staleUntil, keepUntil: keepUntil,
      mustRevalidate: mustRevalidate)
  }

  /// The freshness lifetime (RFC 9111 §4.2.1); without a word about it, a tenth of the time that the page has been
  /// unchanged, and at most a day (§4.2.2).
  private func freshSeconds(_ now: Int64) -> Int64 {
    if let seconds = control.sharedMaxAge ?? control.maxAge { return Int64(seconds) }
    let date = date ?? now
    if let expires { return max(0, expires - date) }
    guard let lastModified else { return 0 }
    return min(86_400, max(0, date - lastModified) / 10)
  }
}
