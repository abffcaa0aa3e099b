import Foundation
import HTTPSemantics

@testable import Gateway

extension WildStyle {
  /// Styles that go on from a key or a time, and lists that are not paged at all.
  static let keyed = [
    WildStyle(
      "a keyset by id, and a flag",
      """
      paging: {style: keyset, keyset: {query: starting_after, key: /id}, size: {query: limit, value: 20}}
      items: {at: /data, id: /id}
      says: {hasMore: /has_more}
      """
    ) { asked, ids in
      let rest = ids.filter { $0 < asked.query["starting_after"].map { Int($0)! } ?? .max }
      return .body(#"{"data":\#(array(rest.prefix(20))),"has_more":\#(rest.count > 20)}"#)
    },
    WildStyle(
      "a keyset by id, and nothing said",
      """
      paging: {style: keyset, keyset: {query: before, key: /id}}
      items: {at: "", id: /id}
      """
    ) { asked, ids in
      .body(array(ids.filter { $0 < asked.query["before"].map { Int($0)! } ?? .max }.prefix(20)))
    },
    WildStyle(
      "a keyset by a time of the answer",
      """
      paging: {style: keyset, keyset: {query: maxtime, first: "0"}, size: {query: per, value: 20}}
      items: {at: /list, id: /id}
      says: {next: /info/maxtime, total: /info/count}
      """
    ) { asked, ids in
      let limit = Int(asked.query["maxtime"]!)!
      let page = ids.filter { limit == 0 || 1_700_000_000 + $0 * 60 < limit }.prefix(20)
      let last = page.last.map { String(1_700_000_000 + $0 * 60) } ?? "\(limit)"
      return .body(#"{"info":{"maxtime":"\#(last)","count":\#(ids.count)},"list":\#(array(page))}"#)
    },
    WildStyle(
      "an inclusive keyset, whose page starts with the item before",
      """
      paging: {style: keyset, keyset: {query: max_id, key: /id}, size: {query: count, value: 20}}
      items: {at: "", id: /id}
      """
    ) { asked, ids in
      .body(array(ids.filter { $0 <= asked.query["max_id"].map { Int($0)! } ?? .max }.prefix(20)))
    },
    WildStyle(
      "an inclusive keyset asked for the id below",
      """
      paging: {style: keyset, keyset: {query: max_id, key: /id, step: -1}, size: {query: count, value: 20}}
      items: {at: "", id: /id}
      """
    ) { asked, ids in
      .body(array(ids.filter { $0 <= asked.query["max_id"].map { Int($0)! } ?? .max }.prefix(20)))
    },
    WildStyle(
      "the last id and one, computed",
      """
      paging: {style: keyset, keyset: {query: offset, key: /id, step: 1}, size: {query: limit, value: 20}}
      items: {at: /result, id: /id}
      """, ascends: true
    ) { asked, ids in
      let offset = asked.query["offset"].map { Int($0)! } ?? 0
      return .body(#"{"ok":true,"result":\#(array(ids.filter { $0 >= offset }.prefix(20)))}"#)
    },
    WildStyle(
      "the sort values of the last hit, several at once",
      """
      request: {method: POST, path: /things/_search, json: {sort: [{t: desc}, {id: desc}]}}
      paging: {style: keyset, keyset: {json: /search_after, key: /sort}, size: {json: /size, value: 20}}
      items: {at: /hits/hits, id: /_id}
      """
    ) { asked, ids in
      let after = (asked.json["search_after"] as? [Any])?.last as? Int ?? .max
      let hits = ids.filter { $0 < after }.prefix(20).map { id in
        #"{"_id":"\#(id)","sort":[\#(1_700_000_000 + id * 60),\#(id)],"_source":\#(item(id))}"#
      }
      return .body(
        #"{"hits":{"total":{"value":10,"relation":"gte"},"hits":[\#(hits.joined(separator: ","))]}}"#)
    },
    WildStyle(
      "a whole list",
      """
      paging: {style: whole}
      items: {at: /events, id: /id}
      """
    ) { _, ids in .body(#"{"events":\#(array(ids))}"#) },
    WildStyle(
      "items keyed by id, with an array that orders them",
      """
      paging: {style: page, page: {query: page, first: 0}, size: {query: per_page, value: 20}}
      items: {at: /posts, id: key, shape: map, order: /order}
      """
    ) { asked, ids in
      let page = ids.page(from: Int(asked.query["page"]!)! * 20)
      let posts = page.sorted().map { #""\#($0)":\#(item($0))"# }.joined(separator: ",")
      let order = page.map { "\"\($0)\"" }.joined(separator: ",")
      return .body(#"{"order":[\#(order)],"posts":{\#(posts)}}"#)
    },
    WildStyle(
      "two arrays in one answer",
      """
      paging: {style: page, page: {query: page}, size: {value: 20}}
      items: {at: [/top, /list], id: /id}
      says: {total: /total}
      """
    ) { asked, ids in
      let page = ids.page(from: (Int(asked.query["page"]!)! - 1) * 20)
      return .body(
        #"{"top":\#(array(page.prefix(2))),"list":\#(array(page.dropFirst(2))),"total":\#(ids.count)}"#)
    },
    WildStyle(
      "windows of days back from today, the end included",
      """
      paging: {style: window, from: {query: startDate}, to: {query: endDate}, length: 7d, earliest: 2026-07-01}
      items: {at: /day, id: /id}
      """, allows: ["empty_page_skipped"]
    ) { asked, ids in
      let (from, to) = (day(asked.query["startDate"]!), day(asked.query["endDate"]!))
      return .body(
        #"{"day":\#(array(ids.filter { from <= today - age($0, ids) && today - age($0, ids) <= to }))}"#)
    },
    WildStyle(
      "windows of seconds forward from a parameter, the end left out",
      """
      parameters: {since: {type: date, default: 2026-08-01}}
      paging: {style: window, from: {query: start}, to: {query: end}, length: 36h, direction: forward, earliest: "{since}", format: seconds, inclusive: false}
      items: {at: "", id: /id}
      """, allows: ["empty_page_skipped"]
    ) { asked, ids in
      let (from, to) = (Int(asked.query["start"]!)!, Int(asked.query["end"]!)!)
      let begin = day("2026-08-01") * 86_400
      return .body(
        array(ids.filter { id in (from..<to).contains(begin + (ids.firstIndex(of: id)!) * 40_000) }))
    },
    WildStyle(
      "months of the calendar, from the present back",
      """
      paging: {style: window, from: {query: since}, to: {query: until}, months: 1, earliest: 2026-01-20, inclusive: false}
      items: {at: "", id: /id}
      """, allows: ["empty_page_skipped"]
    ) { asked, ids in
      let (from, to) = (asked.query["since"]!, asked.query["until"]!)
      let isMonth =
        from.prefix(7) == to.prefix(7)
        || (to.hasSuffix("-01") && (from.hasSuffix("-01") || from == "2026-01-20"))
      guard isMonth else { return .body("", status: 400) }
      return .body(array(ids.filter { day(from) <= today - age($0, ids) && today - age($0, ids) < day(to) }))
    },
    WildStyle(
      "a day at a time, by the upstream's own clock, until nothing more comes",
      """
      paging: {style: window, from: {query: date}, length: 1d, zone: "+12:00", format: YYYYMMDD, limits: {emptyRun: 20}}
      items: {at: /stories, id: /id}
      """, allows: ["empty_page_skipped", "loop_stopped"]
    ) { asked, ids in
      let date = asked.query["date"]!
      let asDay = day("\(date.prefix(4))-\(date.dropFirst(4).prefix(2))-\(date.suffix(2))")
      return .body(#"{"stories":\#(array(ids.filter { asDay == today + 1 - age($0, ids) }))}"#)
    },
  ]

  /// 2026-09-21, which is the day in UTC at the time that these tests' clock shows; farther east it is the next.
  private static let today = day("2026-09-21")
  /// How many days old an item is: three items a day, and a gap of nine days after every tenth.
  private static func age(_ id: Int, _ ids: [Int]) -> Int {
    let index = ids[0] - id
    return index / 3 + index / 30 * 9
  }
  private static func day(_ text: String) -> Int {
    Int(CivilDate(iso: Array(text.utf8))!.unixSeconds / 86_400)
  }
}
