import HTTPSemantics
import JSON
import Testing

@testable import Paging

@Suite("Duplicates within a page", .timeLimit(.minutes(10)))
struct DuplicateTests {
  private func page(_ items: [String]) throws -> Page {
    let plan = WalkPlan(
      style: .whole(Whole()), items: .usual(at: try Pointer("/list"), id: .at([try Pointer("/id")])),
      says: .nothing,
      refusal: nil, shifts: .off, limits: .defaults)
    let body = Bytes(copying: Array(#"{"list":[\#(items.joined(separator: ","))]}"#.utf8))
    let document = try Parser(maximumDepth: 64).parse(body)
    return try Normaliser(plan: plan).page(of: document, status: 200, fields: Fields(), target: [])
  }

  @Test("the same id once as a number and once as a text is the same item, whatever else differs")
  func mixedIDs() throws {
    let page = try page([#"{"id":7,"a":1}"#, #"{"id":"7","a":2}"#, #"{"id":8}"#])
    #expect(page.items.count == 2 && page.rawCount == 3)
    #expect(page.warnings.contains(.duplicatesDropped))
  }

  @Test("a page of two hundred thousand times the same item is read at once, as one item")
  func manyTheSame() throws {
    let page = try page(Array(repeating: #"{"id":1}"#, count: 200_000))
    #expect(page.items.count == 1 && page.rawCount == 200_000)
  }
}
