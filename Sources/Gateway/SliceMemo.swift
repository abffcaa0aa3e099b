import Caching
import HTTPSemantics
import JSON
import Paging
import Resilience

/// An answer made of fresh known pages, as it was given, to be given again: all that differs from one client to the next is
/// its age and the request's id.
final class SliceMemo {
  /// The longest time that one is used: its cursor was opened, and sealed, when it was made.
  static let longest = Duration.seconds(60)

  /// The fields that do not differ.
  private let fields: Fields
  private let tag: ETag
  /// The envelope up to the age.
  private let head: [UInt8]
  /// What is behind the request's id.
  private let rest: [Response.Segment]
  private let codings = KeptCodings(differingCount: 1)
  private let account: CacheAccount
  private let marks: [KnownPages.Mark]
  private let end: Instant
  private let longestFreshness: Int
  private var touched: Instant
  let byteCount: Int

  /// - Returns: nil of an answer that is not to be given again.
  init?(_ response: Response, _ answer: SliceAnswer, for request: Request, at now: Instant) {
    guard response.status == 200, answer.account.outcome == .hit, let freshUntil = answer.account.freshUntil,
      case .bytes(let start) = response.content.first,
      let tag = response.fields.first(.etag).flatMap({ ETag(parsing: $0.span) }),
      let split = Self.split(start, id: request.id)
    else { return nil }
    self.tag = tag
    head = Array(start[..<split.lowerBound])
    rest = [.bytes(Array(start[split.upperBound...]))] + response.content.dropFirst()
    account = answer.account
    marks = request.work.marks
    end = min(freshUntil, now + Self.longest)
    longestFreshness = answer.longestFreshness
    touched = now
    var fields = Fields()
    for index in 0..<response.fields.count {
      let field = response.fields[index]
      if Self.differing.contains(where: { $0.lowercased.elementsEqual(field.name.lazy.map { $0 | 0x20 }) }) {
        continue
      }
      fields.append(field.name.span, field.value.span)
    }
    self.fields = fields
    // Three compressed forms of it take half of it together, or less.
    byteCount =
      1_024 + request.exchange.target.count + start.count + fields.byteCount + response.contentByteCount / 2
      + answer.slice.pieces.reduce(0) { $0 + $1.page.body.count + 512 }
  }

  private static let differing: [FieldName] = [.xRequestID, .age, .cacheControl, .cacheStatus, .etag]

  /// Where the age and what follows it up to the end of the id stand in an envelope's start.
  private static func split(_ start: [UInt8], id: String) -> Range<Int>? {
    let before = Array(#","stale":false,"age":"#.utf8)
    let after = Array(#","requestId":"\#(id)""#.utf8)
    guard let age = start.firstRange(of: before)?.upperBound,
      let end = start[age...].firstRange(of: after)?.upperBound
    else { return nil }
    return age..<end
  }

  /// Whether it is still what would be found.
  func isGood(at now: Instant) -> Bool { now < end && marks.allSatisfy(\.isUnchanged) }

  /// The answer to `request`.
  func response(to request: Request, _ pages: KnownPages, at now: Instant) -> Response {
    if touched + .seconds(1) <= now {
      touched = now
      for mark in marks { pages.touch(mark, at: now) }
    }
    request.work.account = account
    var fields = fields
    fields.append(.xRequestID, request.id)
    Answer.appendFreshness(of: account, upTo: longestFreshness, at: now, to: &fields)
    if Answer.append(tag, to: &fields, for: request) {
      return Response(status: 304, fields: fields, content: [])
    }
    var start: [UInt8] = []
    start.reserveCapacity(head.count + request.id.utf8.count + 48)
    start += head
    start += String(account.age(at: now)).utf8
    start += #","requestId":""#.utf8
    start += request.id.utf8
    start.append(UInt8(ascii: "\""))
    var response = Response(status: 200, fields: fields, content: [.bytes(start)] + rest)
    response.kept = codings
    return response
  }
}

/// One loop's memos, by request target, bounded in bytes: two halves, of which the older goes when the newer is full.
struct SliceMemos {
  private let limit: Int
  private var newer: [[UInt8]: SliceMemo] = [:]
  private var older: [[UInt8]: SliceMemo] = [:]
  private var byteCount = 0

  /// - Parameter limit: in bytes.
  init(limit: Int) { self.limit = limit }

  /// What is known of a target that is still good.
  mutating func find(_ target: [UInt8], at now: Instant) -> SliceMemo? {
    if let memo = newer[target] {
      if memo.isGood(at: now) { return memo }
      newer[target] = nil
      byteCount -= memo.byteCount
      return nil
    }
    guard let memo = older.removeValue(forKey: target), memo.isGood(at: now) else { return nil }
    keep(memo, of: target)
    return memo
  }

  mutating func keep(_ memo: SliceMemo, of target: [UInt8]) {
    guard memo.byteCount <= limit / 8 else { return }
    if byteCount + memo.byteCount > limit / 2 {
      older = newer
      newer = [:]
      byteCount = 0
    }
    if let former = newer.updateValue(memo, forKey: target) { byteCount -= former.byteCount }
    byteCount += memo.byteCount
  }
}
