import TestSupport
import Testing

@testable import HTTPSemantics

@Suite("Method")
struct MethodTests {
  @Test(
    "knows a method by its exact name, and keeps any other",
    arguments: [
      "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get", "BREW", "GETS", "",
    ])
  func names(name: String) {
    let method = Method(name.utf8Span.span)
    #expect(method.name == name)
    #expect(
      (method == .other(name)) == !["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].contains(name)
    )
  }

  @Test("may be sent again only when it is idempotent")
  func properties() {
    #expect(
      Method.get.isIdempotent && Method.put.isIdempotent && !Method.post.isIdempotent
        && !Method.patch.isIdempotent)
    #expect(Method.head.isSafe && !Method.delete.isSafe && !Method.other("X").isSafe)
  }
}

@Suite("Status")
struct StatusTests {
  @Test(
    "belongs to the class of its first digit",
    arguments: [
      (100, Status.Class.informational), (204, .successful), (304, .redirection), (404, .clientError),
      (599, .serverError),
      (0, .unknown), (600, .unknown),
    ] as [(UInt16, Status.Class)])
  func classes(code: UInt16, expected: Status.Class) {
    #expect(Status(code).class == expected)
  }

  @Test("has a reason phrase, and knows when no content can follow")
  func reasons() {
    #expect(Status.unprocessableContent.reason.description == "Unprocessable Content")
    #expect(Status(299).reason.description == "Unknown")
    #expect(Status.notModified.hasNoContent && Status(101).hasNoContent && !Status.ok.hasNoContent)
  }
}

@Suite("RequestID")
struct RequestIDTests {
  @Test(
    "takes a client's id only when it can do no harm",
    arguments: [
      ("a", true), ("4f1c-9_A.b", true), ("", false), ("a b", false), ("a\n", false), ("a\"", false),
      ("é", false),
      (String(repeating: "a", count: 128), true), (String(repeating: "a", count: 129), false),
    ])
  func sanity(id: String, isSane: Bool) {
    #expect(RequestID.isSane(id.utf8Span.span) == isSane)
  }

  @Test("makes ids that are sane, of one length, and differ")
  func makes() {
    var random = SeededRandom(seed: 9)
    let ids = (0..<1_000).map { _ in RequestID.make((random.next(), random.next())) }
    #expect(Set(ids).count == 1_000)
    #expect(ids.allSatisfy { $0.utf8.count == 15 && RequestID.isSane($0.utf8Span.span) })
    #expect(RequestID.make((0, 0)) == "000000000000000")
    #expect(RequestID.make((.max, .max)) == "zzzzzzzzzzzzzzz")
  }
}
