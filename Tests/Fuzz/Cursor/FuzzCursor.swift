import Gateway
import HTTPSemantics
import JSON
import OpenSSLSealer
import Paging

// Run by Tests/Fuzz/run.

private let binding = Array("list".utf8)

// The fuzzer calls from one thread.
private nonisolated(unsafe) let sealer: OpenSSLSealer = {
  let secret = Array("0123456789abcdef0123456789abcdef".utf8)
  guard let keys = try? SealingKeys(secrets: [secret]), let sealer = try? OpenSSLSealer(keys: keys) else {
    preconditionFailure("libcrypto does not start")
  }
  return sealer
}()

private let plans: [WalkPlan] = {
  guard let id = try? Pointer("") else { return [] }
  let size = PageSize(placement: .query("size"), value: 20)
  let styles: [Style] =
    [
      .page(PageNumber(page: .query("page"), first: 1, size: size, ending: .counted)),
      .offset(Offset(offset: .query("o"), first: 0, prefix: "", size: size, ending: .counted)),
      .token(
        Token(sending: .membersInQuery, first: nil, size: size, goesAlone: false, endsByRepeating: false)),
      .keyset(
        Keyset(sending: .query("k"), key: id, step: 1, first: nil, size: size, ending: .keyed)),
      .nextURL(NextURL(size: nil, hosts: TrustedHosts(own: "a", aliases: []))),
      .range(ItemRange(field: "Range", unit: "items", size: 20, ending: .counted)),
    ]
    + [Window.Length.seconds(86_400), .months(3)].map { length in
      Style.window(
        Window(
          from: .query("from"), to: .query("to"), length: length, direction: .backward, earliest: nil,
          latest: nil, form: .days, zone: 0, includesEnd: true))
    }
  return styles.flatMap { style in
    Shifts.allCases.map { shifts in
      WalkPlan(
        style: style, items: .usual(at: id, id: .at([id])), says: .nothing, refusal: nil, shifts: shifts,
        limits: Limits(emptyPages: 2, emptyRun: 4, pages: 8, seamPages: 2, bytes: 100_000))
    }
  }
}()

private let page: Page? = {
  let body = Bytes(copying: Array("[1,2,3,4,5,6,7]".utf8))
  return try? Normaliser(plan: plans[0]).page(
    ofBody: body, parser: Parser(maximumDepth: 4), status: 200, fields: Fields(), target: [])
}()

/// Any bytes as a cursor: nothing opens that was not sealed here. Sealed, they open again, and with one bit changed they do
/// not. As a position they are refused, or are its only spelling, and every style's walk from there ends.
@c(LLVMFuzzerTestOneInput)
public func fuzzCursor(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  precondition(opened(String(decoding: bytes, as: UTF8.self)) == nil)
  if count <= 4_096 {
    let cursor = sealer.seal(bytes, binding: binding, now: 1_000)
    precondition(opened(cursor) == bytes)
    var damaged = Array(cursor.utf8)
    let place = Int(bytes.first ?? 0) * 7 % damaged.count
    damaged[place] = damaged[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    precondition(opened(String(decoding: damaged, as: UTF8.self)) == nil)
    precondition(
      (try? sealer.open(cursor, binding: bytes, now: 1_000, lifetime: 60)) == nil || bytes == binding)
  }
  guard let position = try? Position(decoding: bytes), let page else { return 0 }
  precondition(position.encode() == bytes, "a position has two spellings")
  for plan in plans {
    let occasion = Occasion(unixSeconds: 1_790_000_000, arguments: [])
    var walk = Walk(plan: plan, on: occasion, from: position, limit: 20)
    var requests = 0
    while case .fetch = walk.next() {
      walk.receive(page)
      requests += 1
      precondition(requests < 200, "a walk does not end")
    }
  }
  return 0
}

private func opened(_ cursor: String) -> [UInt8]? {
  try? sealer.open(cursor, binding: binding, now: 1_000, lifetime: 60)
}
