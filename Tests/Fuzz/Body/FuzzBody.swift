import HTTPSemantics
import JSON
import Paging

// Run: LISTWAY_FUZZ=1 swift build --sanitize fuzzer --product fuzz-body, then .build/debug/fuzz-body Tests/Fuzz/Body/corpus

/// How an answer may be written: the input's first byte chooses.
private let plans: [WalkPlan] = {
  func pointer(_ text: StaticString) -> Pointer { try! Pointer("\(text)") }
  let refusal = Refusal(
    when: .body(pointer("/code")), test: .isNone([.text("0"), .null]), code: nil,
    message: [.body(pointer("/message"))], cases: [.init(code: .text("7"), meaning: .endOfList)])
  let says = Says(
    total: .body(pointer("/total")), pageCount: .body(pointer("/pages")), page: .body(pointer("/page")),
    hasMore: .body(pointer("/more")), isLast: .lastItem(pointer("/last")), next: .body(pointer("/next")))
  let formats: [ItemsPlace.Format] = [.json, .lines(trailers: 1), .texts]
  let shapes: [ItemsPlace.Shape] = [.any, .map, .groups, .single]
  let ids: [ItemsPlace.Identity] = [
    .at([pointer("/id")]), .key, .at([pointer("/a"), pointer("/0")]), .at([pointer("")]),
  ]
  return formats.flatMap { format in
    zip(shapes, ids).map { shape, id in
      WalkPlan(
        style: .nextURL(NextURL(size: nil, hosts: TrustedHosts(own: "a", aliases: []))),
        items: ItemsPlace(
          at: [pointer("/list"), pointer("")], each: format == .texts ? pointer("/c") : nil, id: id,
          shape: shape,
          order: shape == .map ? pointer("/order") : nil, absence: .judged, allowsEmptyBody: true,
          format: format),
        says: says, refusal: shape == .any ? refusal : nil, shifts: .watch, limits: .defaults)
    }
  }
}()
private nonisolated(unsafe) let parser = Parser(maximumDepth: 64)

/// Any bytes as an answer: a page whose items lie within its body, one behind the other, each JSON of its own, or a fault.
@c(LLVMFuzzerTestOneInput)
public func fuzzBody(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  let normaliser = Normaliser(plan: plans[Int(first) % plans.count])
  var fields = Fields()
  fields.append(.contentType, first & 0x80 == 0 ? "text/plain" : "application/problem+json")
  let body = Bytes(copying: Array(bytes.dropFirst()))
  _ = normaliser.reason(in: body, parser: parser, status: 404, fields: fields)
  guard
    let page = try? normaliser.page(
      ofBody: body, parser: parser, status: 200, fields: fields, target: Array("/items?page=1".utf8))
  else { return 0 }
  precondition(page.items.count <= page.rawCount)
  for item in page.items {
    precondition(item.start < item.end && Int(item.end) <= page.body.count)
    precondition((try? parser.parse(page.body, in: item.range)) != nil)
  }
  if page.isContiguous {
    precondition(zip(page.items, page.items.dropFirst()).allSatisfy { $0.end <= $1.start })
  }
  if case .target(let target) = page.said.next { precondition(target.first == UInt8(ascii: "/")) }
  return 0
}
