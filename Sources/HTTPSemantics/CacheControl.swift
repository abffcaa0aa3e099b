/// The directives of a `Cache-Control` field, of a request or of a response (RFC 9111 §5.2, RFC 5861, RFC 8246).
///
/// Ages are seconds. An age that cannot be read counts as 0 and so as stale (RFC 9111 §4.2.1); of a directive that comes
/// twice the first counts.
package struct CacheControl: Sendable, Hashable {
  package var maxAge: Int?
  package var sharedMaxAge: Int?
  package var staleWhileRevalidate: Int?
  package var staleIfError: Int?
  package var minFresh: Int?
  /// How stale an answer the client takes; `Int.max` when it takes any.
  package var maxStale: Int?
  package var isNoStore = false
  package var isNoCache = false
  package var isPrivate = false
  package var isPublic = false
  package var isNoTransform = false
  package var isOnlyIfCached = false
  package var isImmutable = false
  package var mustRevalidate = false
  package var proxyRevalidate = false
  package var mustUnderstand = false

  package init() {}

  /// Every `Cache-Control` field of a message together; nil when there is none.
  package init?(_ fields: Fields) {
    guard let value = fields.combined(.cacheControl) else { return nil }
    self.init(parsing: value.span)
  }

  /// Directives that are not known are ignored, as the RFC asks.
  package init(parsing value: Span<UInt8>) {
    var list = FieldList()
    while let directive = list.next(in: value) {
      let equals = value.firstIndex(of: UInt8(ascii: "="), in: directive)
      let name = value.trimmed(directive.lowerBound..<(equals ?? directive.upperBound))
      let argument = equals.map { value.trimmed($0 + 1..<directive.upperBound) }
      read(value, name, argument)
    }
  }

  private mutating func read(_ value: Span<UInt8>, _ name: Range<Int>, _ argument: Range<Int>?) {
    func seconds() -> Int {
      guard var range = argument else { return 0 }
      if range.count >= 2, value[range.lowerBound] == UInt8(ascii: "\""),
        value[range.upperBound - 1] == UInt8(ascii: "\"")
      {
        range = range.lowerBound + 1..<range.upperBound - 1
      }
      return value.decimal(in: range) ?? 0
    }
    func isNamed(_ text: StaticString) -> Bool { value.matches(text, in: name) }

    if isNamed("max-age") {
      maxAge = maxAge ?? seconds()
    } else if isNamed("s-maxage") {
      sharedMaxAge = sharedMaxAge ?? seconds()
    } else if isNamed("stale-while-revalidate") {
      staleWhileRevalidate = staleWhileRevalidate ?? seconds()
    } else if isNamed("stale-if-error") {
      staleIfError = staleIfError ?? seconds()
    } else if isNamed("min-fresh") {
      minFresh = minFresh ?? seconds()
    } else if isNamed("max-stale") {
      maxStale = maxStale ?? (argument == nil ? Int.max : seconds())
    } else if isNamed("no-store") {
      isNoStore = true
    } else if isNamed("no-cache") {
      // With a list of fields it speaks of those only; taking it whole is the safe reading.
      isNoCache = true
    } else if isNamed("private") {
      isPrivate = true
    } else if isNamed("public") {
      isPublic = true
    } else if isNamed("no-transform") {
      isNoTransform = true
    } else if isNamed("only-if-cached") {
      isOnlyIfCached = true
    } else if isNamed("immutable") {
      isImmutable = true
    } else if isNamed("must-revalidate") {
      mustRevalidate = true
    } else if isNamed("proxy-revalidate") {
      proxyRevalidate = true
    } else if isNamed("must-understand") {
      mustUnderstand = true
    }
  }

  /// Appends the field value, in a fixed order; nothing when there is no directive.
  package func append(to output: inout [UInt8]) {
    let start = output.count
    func separate(_ output: inout [UInt8]) { if output.count > start { output.append(constant: ", ") } }
    func flag(_ isSet: Bool, _ name: StaticString, _ output: inout [UInt8]) {
      guard isSet else { return }
      separate(&output)
      output.append(constant: name)
    }
    func age(_ value: Int?, _ name: StaticString, _ output: inout [UInt8]) {
      guard let value else { return }
      separate(&output)
      output.append(constant: name)
      if value == Int.max { return }
      output.append(UInt8(ascii: "="))
      output.append(decimal: value)
    }
    flag(isPublic, "public", &output)
    flag(isPrivate, "private", &output)
    flag(isNoStore, "no-store", &output)
    flag(isNoCache, "no-cache", &output)
    age(maxAge, "max-age", &output)
    age(sharedMaxAge, "s-maxage", &output)
    age(staleWhileRevalidate, "stale-while-revalidate", &output)
    age(staleIfError, "stale-if-error", &output)
    age(minFresh, "min-fresh", &output)
    age(maxStale, "max-stale", &output)
    flag(mustRevalidate, "must-revalidate", &output)
    flag(proxyRevalidate, "proxy-revalidate", &output)
    flag(mustUnderstand, "must-understand", &output)
    flag(isNoTransform, "no-transform", &output)
    flag(isOnlyIfCached, "only-if-cached", &output)
    flag(isImmutable, "immutable", &output)
  }
}
