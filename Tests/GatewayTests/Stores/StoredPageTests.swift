import Caching
import Gateway
import HTTPSemantics
import JSON
import TestSupport
import Testing

@Suite("Stored pages")
struct StoredPageTests {
  private static let lifetime = StoredLifetime(
    born: 1_700_000_000_000, freshUntil: 1_700_000_030_000, staleUntil: 1_700_000_600_000,
    keepUntil: 1_700_600_000_000, mustRevalidate: false)

  private static func page(target: [UInt8]?) -> StoredPage {
    var fields = Fields()
    fields.append("Content-Type", "application/json")
    fields.append("Link", "</items?page=2>; rel=\"next\"")
    fields.append("set-cookie", "session=secret")
    fields.append("X-Empty", "")
    return StoredPage(
      TransportResponse(
        status: 200, fields: fields, body: Bytes(copying: Array(#"{"items":[1.10]}"#.utf8)),
        redirectedTarget: target),
      edition: 7, lifetime)
  }

  private static func decode(_ head: [UInt8], _ content: [UInt8]) -> StoredPage? {
    head.withUnsafeBytes { head in content.withUnsafeBytes { StoredPage(head: head, content: $0) } }
  }

  @Test("a page is read as it was stored", arguments: [nil, [], Array("/moved?a=1".utf8)])
  func roundTrip(target: [UInt8]?) throws {
    let page = Self.page(target: target)
    let read = try #require(Self.decode(page.encodedHead, page.encodedContent()))
    #expect(read.status == 200)
    #expect(read.fields == page.fields)
    #expect(read.body[0..<read.body.count] == page.body[0..<page.body.count])
    #expect(read.redirectedTarget == target)
    #expect(read.edition == 7)
    #expect(read.lifetime == Self.lifetime)
  }

  @Test("what an upstream gave to one client or one connection is not stored")
  func droppedFields() {
    let fields = Self.page(target: nil).fields
    #expect(fields.count == 3)
    #expect(!fields.contains(.setCookie))
    #expect(fields.contains(.link))
  }

  @Test("what was cut short or damaged is no page, and never another body")
  func damaged() {
    let page = Self.page(target: Array("/a".utf8))
    let (head, content) = (page.encodedHead, page.encodedContent())
    for count in 0..<head.count { #expect(Self.decode(Array(head.prefix(count)), content) == nil) }
    for count in 0..<content.count { #expect(Self.decode(head, Array(content.prefix(count))) == nil) }
    #expect(Self.decode(head + [0], content) == nil)
    var random = SeededRandom(seed: 5)
    for _ in 0..<2_000 {
      var other = content
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        other[Int.random(in: 0..<other.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      guard let read = Self.decode(head, other), other != content else { continue }
      #expect(read.body[0..<read.body.count] == page.body[0..<page.body.count])
    }
  }

  @Test("of another version nothing is read")
  func versions() {
    let page = Self.page(target: nil)
    var head = page.encodedHead
    head[0] += 1
    #expect(Self.decode(head, page.encodedContent()) == nil)
    var content = page.encodedContent()
    content[0] += 1
    #expect(Self.decode(page.encodedHead, content) == nil)
  }

  @Test("a lifetime goes from one process's clock to another's")
  func lifetimes() {
    let now = ContinuousClock.now
    let wall: Int64 = 1_700_000_010_000
    let lifetime = Self.lifetime.lifetime(at: now, unixMilliseconds: wall)
    #expect(lifetime.age(at: now) == .seconds(10))
    #expect(lifetime.timeToLive(at: now) == .seconds(20))
    #expect(StoredLifetime(lifetime, at: now, unixMilliseconds: wall) == Self.lifetime)
    let later = now + .seconds(3600)
    #expect(StoredLifetime(lifetime, at: later, unixMilliseconds: wall + 3_600_000) == Self.lifetime)
  }

  @Test(
    "a page from the future, as a clock that was set back sees it, is as young as can be and no fresher than it was"
  )
  func setBack() {
    let now = ContinuousClock.now
    let lifetime = Self.lifetime.lifetime(at: now, unixMilliseconds: Self.lifetime.born - 86_400_000)
    #expect(lifetime.age(at: now) == .zero)
    #expect(lifetime.timeToLive(at: now) == .seconds(30))
  }

  @Test("what is kept for ever is kept for long, and is no overflow")
  func forever() {
    let now = ContinuousClock.now
    let end = now + .seconds(Int64.max / 4)
    let stored = StoredLifetime(
      Lifetime(born: now, freshUntil: end, staleUntil: end, keepUntil: end, mustRevalidate: true), at: now,
      unixMilliseconds: 1_700_000_000_000)
    #expect(stored.keepUntil > 4_000_000_000_000)
    #expect(stored.mustRevalidate)
    let page = StoredPage(Self.page(target: nil).response, edition: 1, stored)
    #expect(Self.decode(page.encodedHead, page.encodedContent())?.lifetime == stored)
  }
}
