import Testing

@testable import HTTPSemantics

@Suite("CacheControl")
struct CacheControlTests {
  private func parse(_ text: String) -> CacheControl { CacheControl(parsing: text.utf8Span.span) }

  @Test(
    "reads ages, quoted or not, and takes an unreadable one as stale",
    arguments: [
      ("max-age=60", 60), ("Max-Age=\"60\"", 60), ("max-age=", 0), ("max-age", 0), ("max-age=-1", 0),
      ("max-age=1.5", 0),
      ("max-age=60, max-age=5", 60), ("public, max-age = 60 ", 60),
      ("max-age=99999999999999999999", 2_147_483_647),
      (#"x="a, max-age=1", max-age=60"#, 60), ("s-maxage=1", nil), ("", nil),
    ] as [(String, Int?)])
  func maxAge(text: String, expected: Int?) {
    #expect(parse(text).maxAge == expected)
  }

  @Test("reads a response's directives")
  func response() {
    let value = parse(
      #"private="set-cookie", no-cache, s-maxage=9, stale-while-revalidate=30, stale-if-error=600, must-revalidate, immutable, unknown=1"#
    )
    #expect(value.isPrivate && value.isNoCache && value.mustRevalidate && value.isImmutable)
    #expect(!value.isNoStore && !value.isPublic)
    #expect(value.sharedMaxAge == 9 && value.staleWhileRevalidate == 30 && value.staleIfError == 600)
  }

  @Test("reads a request's directives")
  func request() {
    let value = parse("no-store, only-if-cached, min-fresh=5, max-stale")
    #expect(value.isNoStore && value.isOnlyIfCached)
    #expect(value.minFresh == 5 && value.maxStale == Int.max)
    #expect(parse("max-stale=7").maxStale == 7)
  }

  @Test("reads several fields as one, and tells none from an empty one")
  func fields() {
    var fields = Fields()
    #expect(CacheControl(fields) == nil)
    fields.append(.cacheControl, "public")
    fields.append(.cacheControl, "max-age=3")
    #expect(CacheControl(fields)?.isPublic == true)
    #expect(CacheControl(fields)?.maxAge == 3)
  }

  @Test(
    "reads back what it writes",
    arguments: [
      "public, max-age=30, stale-while-revalidate=600", "private, no-store", "max-stale, only-if-cached", "",
      "no-cache, s-maxage=1, stale-if-error=2, min-fresh=3, must-revalidate, proxy-revalidate, must-understand, no-transform, immutable",
    ])
  func roundTrip(text: String) {
    #expect(written { parse(text).append(to: &$0) } == text)
  }
}

@Suite("ETag")
struct ETagTests {
  private func tag(_ text: String) -> ETag? { ETag(parsing: text.utf8Span.span) }

  @Test(
    "compares as RFC 9110 section 8.8.3.2 shows",
    arguments: [
      (#"W/"1""#, #"W/"1""#, false, true), (#"W/"1""#, #"W/"2""#, false, false),
      (#"W/"1""#, #""1""#, false, true),
      (#""1""#, #""1""#, true, true),
    ])
  func comparison(one: String, other: String, strongly: Bool, weakly: Bool) throws {
    let (one, other) = try (#require(tag(one)), #require(tag(other)))
    #expect(one.matchesStrongly(other) == strongly)
    #expect(one.matchesWeakly(other) == weakly)
  }

  @Test(
    "knows whether If-None-Match names it",
    arguments: [
      (#""abc""#, true), (#"W/"abc""#, true), ("*", true), (#""x", "abc""#, true), (#""x","abc","y""#, true),
      (#""a,b" , "abc""#, true),
      (#""ab""#, false), ("abc", false), ("", false), (#""abc"#, false), (#"w/"abc" "abc"#, true),
      (#", ,"abc""#, true), (#"* , "x""#, false),
      (#""a\","abc""#, true),
    ])
  func ifNoneMatch(field: String, matches: Bool) {
    #expect(ETag(opaque: "abc".bytes, isWeak: false).isNamed(byIfNoneMatch: field.utf8Span.span) == matches)
  }

  @Test(
    "refuses what is no tag",
    arguments: ["", "abc", "\"abc", "W/abc", "w/\"abc\"", "\"a\" x", "\"a b\"", "W/", "\""])
  func refused(text: String) {
    #expect(tag(text) == nil)
  }

  @Test("writes a digest as a strong tag, and reads it back")
  func digest() {
    let text = written { ETag(digest: 0x0123_4567_89AB_CDEF).append(to: &$0) }
    #expect(text == #""0123456789abcdef""#)
    #expect(tag(text) == ETag(digest: 0x0123_4567_89AB_CDEF))
    #expect(written { ETag(opaque: "x".bytes, isWeak: true).append(to: &$0) } == #"W/"x""#)
  }
}

@Suite("Cache-Status and Proxy-Status")
struct StatusFieldTests {
  @Test("says what the cache did")
  func cacheStatus() {
    #expect(written { CacheStatus(.hit).append(to: &$0) } == "listway; hit")
    var stale = CacheStatus(.forward(.stale))
    stale.forwardStatus = 503
    stale.timeToLive = -30
    stale.isStored = true
    stale.isCollapsed = true
    stale.detail = "up\"stream\\ 网\n"
    #expect(
      written { stale.append(to: &$0) }
        == #"listway; fwd=stale; fwd-status=503; ttl=-30; stored; collapsed; detail="up\"stream\\ ??""#)
    #expect(written { CacheStatus(.forward(.uriMiss)).append(to: &$0) } == "listway; fwd=uri-miss")
  }

  @Test("says what went wrong upstream, in registered words")
  func proxyStatus() {
    var status = ProxyStatus(error: .connectionRefused)
    #expect(written { status.append(to: &$0) } == "listway; error=connection_refused")
    status.receivedStatus = 500
    status.nextHop = "erp"
    status.detail = "no"
    #expect(
      written { status.append(to: &$0) }
        == #"listway; error=connection_refused; received-status=500; next-hop="erp"; details="no""#)
    let tokens = ProxyStatus.ErrorType.allCases.map(\.token.description)
    #expect(Set(tokens).count == tokens.count)
  }
}
