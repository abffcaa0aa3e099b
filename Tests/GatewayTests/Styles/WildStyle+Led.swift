import Foundation
import HTTPSemantics
import Synchronization
import Testing

@testable import Gateway

extension WildStyle {
  /// Styles where the upstream names the next page.
  static let led = [
    WildStyle(
      "a token in the body, null at the end",
      """
      paging: {style: token, token: {query: page_token}, size: {query: page_size, value: 20}}
      items: {at: /items, id: /id}
      says: {next: /next_page_token}
      """
    ) { asked, ids in
      let (page, next) = tokened(asked.query["page_token"], ids)
      return .body(#"{"items":\#(array(page)),"next_page_token":\#(next.map { "\"\($0)\"" } ?? "null")}"#)
    },
    WildStyle(
      "a token in the body, empty at the end",
      """
      paging: {style: token, token: {query: cursor}, size: {query: limit, value: 20}}
      items: {at: /members, id: /id}
      says: {next: /response_metadata/next_cursor}
      """
    ) { asked, ids in
      let (page, next) = tokened(asked.query["cursor"], ids)
      return .body(#"{"members":\#(array(page)),"response_metadata":{"next_cursor":"\#(next ?? "")"}}"#)
    },
    WildStyle(
      "a token in the body, absent at the end",
      """
      paging: {style: token, token: {query: after}, size: {query: limit, value: 20}}
      items: {at: /results, id: /id}
      says: {next: /paging/next/after}
      """
    ) { asked, ids in
      let (page, next) = tokened(asked.query["after"], ids)
      let paging = next.map { #","paging":{"next":{"after":"\#($0)"}}"# } ?? ""
      return .body(#"{"results":\#(array(page))\#(paging)}"#)
    },
    WildStyle(
      "a token in header fields both ways",
      """
      paging: {style: token, token: {header: X-Cursor}, size: {query: limit, value: 20}}
      items: {at: "", id: /id}
      says: {next: "header:X-Next-Cursor"}
      """
    ) { asked, ids in
      let (page, next) = tokened(asked.header("X-Cursor"), ids)
      return .body(array(page), fields: field("X-Next-Cursor", next))
    },
    WildStyle(
      "a Range to ask for next in a header field",
      """
      paging: {style: token, token: {header: Range}}
      items: {at: "", id: /id}
      says: {next: "header:Next-Range"}
      """
    ) { asked, ids in
      let range = asked.header("Range")?.dropFirst(3).prefix { $0 != "." }
      let (page, next) = tokened(range.map { String($0) }, ids)
      return .body(
        array(page), status: next == nil ? 200 : 206,
        fields: field("Next-Range", next.map { "id \($0)..; max=20" }))
    },
    WildStyle(
      "an object as a token, by POST",
      """
      request: {method: POST, json: {TableName: things}}
      paging: {style: token, token: {json: /ExclusiveStartKey}, size: {json: /Limit, value: 20}}
      items: {at: /Items, id: /id}
      says: {next: /LastEvaluatedKey}
      """
    ) { asked, ids in
      let key = (asked.json["ExclusiveStartKey"] as? [String: Any])?["id"] as? [String: String]
      let (page, next) = tokened(key?["N"], ids)
      let last = next.map { #","LastEvaluatedKey":{"id":{"N":"\#($0)"}}"# } ?? ""
      return .body(#"{"Items":\#(array(page))\#(last)}"#)
    },
    WildStyle(
      "a Link header field",
      """
      paging: {style: link, size: {query: per_page, value: 20}}
      items: {at: "", id: /id}
      """
    ) { asked, ids in
      let (page, next) = tokened(asked.query["page"], ids)
      let link = next.map {
        #"<http://127.0.0.1:1/things?per_page=20&page=\#($0)>; rel="next", <http://127.0.0.1:1/>; rel="first""#
      }
      return .body(array(page), fields: field("Link", link))
    },
    WildStyle(
      "an absolute next URL, with the scheme and host of behind the proxy",
      """
      request: {path: /things/}
      paging: {style: nextURL, size: {query: page_size, value: 20}}
      items: {at: /results, id: /id}
      says: {next: /next, total: /count}
      """
    ) { asked, ids in
      let (page, next) = tokened(asked.query["page"], ids)
      let url = next.map { #""http://backend:8000/things/?page=\#($0)&page_size=20""# } ?? "null"
      return .body(#"{"count":\#(ids.count),"next":\#(url),"results":\#(array(page))}"#)
    },
    WildStyle(
      "a relative next URL in a link object",
      """
      request: {path: /v1/things}
      paging: {style: nextURL}
      items: {at: /_embedded/things, id: /id}
      says: {next: /_links/next}
      """
    ) { asked, ids in
      let (page, next) = tokened(asked.query["p"], ids)
      let links = next.map { #""next":{"href":"?p=\#($0)"}"# } ?? ""
      return .body(#"{"_links":{\#(links)},"_embedded":{"things":\#(array(page))}}"#)
    },
    WildStyle(
      "the next page's query",
      """
      request: {path: /search.json, query: {q: "#fun"}}
      paging: {style: nextURL, onlyQuery: true}
      items: {at: /statuses, id: /id}
      says: {next: /search_metadata/next_results}
      """
    ) { asked, ids in
      #expect(asked.path == "/search.json" && asked.query["q"] == "#fun")
      let (page, next) = tokened(asked.query["max_id"], ids)
      let results = next.map { #""next_results":"?max_id=\#($0)&q=%23fun""# } ?? ""
      return .body(#"{"statuses":\#(array(page)),"search_metadata":{\#(results)}}"#)
    },
    WildStyle(
      "a GraphQL connection",
      """
      request: {method: POST, json: {query: "query { things }", variables: {after: null}}}
      paging: {style: graphql, connection: /data/things, after: {json: /variables/after}, size: {json: /variables/first, value: 20}}
      items: {at: /data/things/edges, each: /node, id: /id}
      says: {total: /data/things/totalCount}
      """
    ) { asked, ids in
      let variables = asked.json["variables"] as? [String: Any]
      let (page, next) = tokened(variables?["after"] as? String, ids)
      let edges = page.map { #"{"cursor":"\#($0)","node":\#(item($0))}"# }.joined(separator: ",")
      return .body(
        """
        {"data":{"things":{"edges":[\(edges)],"totalCount":\(ids.count),"pageInfo":
         {"hasNextPage":\(next != nil),"endCursor":\(page.isEmpty ? "null" : "\"\(next ?? "last")\"")}}}}
        """)
    },
    WildStyle(
      "a scroll, whose every page comes once",
      """
      request: {method: POST, path: /things/_search, query: {scroll: 1m}, json: {query: {match_all: {}}}}
      following: {method: POST, path: /_search/scroll, json: {scroll: 1m}}
      paging: {style: token, token: {json: /scroll_id, alone: true, once: true}, size: {json: /size, value: 20}}
      items: {at: /hits/hits, each: /_source, id: /id}
      says: {next: /_scroll_id, total: /hits/total}
      """, allows: ["limit_exceeded"], isWholePages: true
    ) {
      let read = Mutex(0)
      return { asked, ids in
        let isFirst = asked.path == "/things/_search"
        #expect(isFirst ? asked.json["size"] as? Int == 20 : asked.json["size"] == nil)
        #expect(isFirst || asked.json["scroll_id"] as? String == "Zm9v")
        let start = read.withLock { read in
          if isFirst { read = 0 }
          defer { read += 20 }
          return read
        }
        let hits = ids.page(from: start).map { #"{"_id":"\#($0)","_source":\#(item($0))}"# }
        return .body(
          #"{"_scroll_id":"Zm9v","hits":{"total":\#(ids.count),"hits":[\#(hits.joined(separator: ","))]}}"#)
      }
    },
    WildStyle(
      "a continue object whose members join the next query",
      """
      request: {path: /api.php, query: {action: query, list: things}}
      paging: {style: token, token: {members: query}, size: {query: aplimit, value: 20}}
      items: {at: /query/things, id: /id}
      says: {next: /continue}
      """
    ) { asked, ids in
      let (page, next) = tokened(asked.query["apcontinue"], ids)
      #expect(asked.query["action"] == "query")
      #expect(asked.query["continue"] == (asked.query["apcontinue"] == nil ? nil : "-||"))
      let rest = next.map { #""continue":{"apcontinue":"\#($0)","continue":"-||"},"# } ?? ""
      return .body(#"{\#(rest)"query":{"things":\#(array(page))}}"#)
    },
    WildStyle(
      "a continue token and a count of what is left",
      """
      paging: {style: token, token: {query: continue}, size: {query: limit, value: 20}}
      items: {at: /items, id: /id}
      says: {next: /metadata/continue}
      """
    ) { asked, ids in
      let (page, next) = tokened(asked.query["continue"], ids)
      return .body(#"{"kind":"List","metadata":{"continue":"\#(next ?? "")"},"items":\#(array(page))}"#)
    },
    WildStyle(
      "a cursor mark that comes back unchanged at the end",
      """
      paging: {style: token, token: {query: cursorMark, first: "*", endsByRepeating: true}, size: {query: rows, value: 20}}
      items: {at: /response/docs, id: /id}
      says: {next: /nextCursorMark, total: /response/numFound}
      """
    ) { asked, ids in
      let mark = asked.query["cursorMark"]!
      let (page, _) = tokened(mark == "*" ? nil : String(mark.dropFirst(3)), ids)
      let next = page.last.map { "AoE\($0 - 1)" } ?? mark
      return .body(
        #"{"response":{"numFound":\#(ids.count),"docs":\#(array(page))},"nextCursorMark":"\#(next)"}"#)
    },
    WildStyle(
      "a resumption token that goes without the first parameters",
      """
      request: {path: /oai, query: {verb: ListRecords, from: 2020-01-01}}
      following: {path: /oai, query: {verb: ListRecords}}
      paging: {style: token, token: {query: resumptionToken, alone: false}}
      items: {at: /records, id: /id}
      says: {next: /resumptionToken}
      """
    ) { asked, ids in
      let (page, next) = tokened(asked.query["resumptionToken"], ids)
      #expect(asked.query["verb"] == "ListRecords")
      #expect((asked.query["from"] == nil) == (asked.query["resumptionToken"] != nil))
      return .body(#"{"records":\#(array(page)),"resumptionToken":"\#(next ?? "")"}"#)
    },
    WildStyle(
      "a resumption token that goes all alone",
      """
      request: {query: {set: all}}
      paging: {style: token, token: {query: resumptionToken, alone: true}, size: {query: n, value: 20}}
      items: {at: /records, id: /id}
      says: {next: /resumptionToken}
      """
    ) { asked, ids in
      let (page, next) = tokened(asked.query["resumptionToken"], ids)
      #expect(asked.query.count == (asked.query["resumptionToken"] == nil ? 2 : 1))
      return .body(#"{"records":\#(array(page)),"resumptionToken":\#(next.map { "\"\($0)\"" } ?? "null")}"#)
    },
  ]

  /// The page behind a token, which is the id it starts with; and the token of the next one.
  private static func tokened(_ token: String?, _ ids: [Int]) -> (page: [Int], next: String?) {
    let start = token.map { token in Int(token).flatMap { ids.firstIndex(of: $0) } ?? ids.count } ?? 0
    let page = ids.page(from: start)
    let rest = ids.dropFirst(start + page.count)
    return (page, rest.first.map { String($0) })
  }
}
