import HTTPSemantics

@testable import Gateway

extension WildStyle {
  /// Styles that ask by a number: pages, offsets, ranges.
  static let counted = [
    WildStyle(
      "page from 1 and a total",
      """
      paging: {style: page, page: {query: page}, size: {query: per_page, value: 20}}
      items: {at: /list, id: /id}
      says: {total: /total}
      """
    ) { asked, ids in
      let page = ids.page(from: (Int(asked.query["page"]!)! - 1) * 20)
      return .body(#"{"total":\#(ids.count),"list":\#(array(page))}"#)
    },
    WildStyle(
      "page from 0, page count and a flag of the last",
      """
      paging: {style: page, page: {query: page, first: 0}, size: {query: size, value: 20}}
      items: {at: /content, id: /id}
      says: {total: /totalElements, pageCount: /totalPages, page: /number, isLast: /last}
      """
    ) { asked, ids in
      let number = Int(asked.query["page"]!)!
      let count = (ids.count + 19) / 20
      return .body(
        """
        {"content":\(array(ids.page(from: number * 20))),"number":\(number),"totalPages":\(count),
         "totalElements":\(ids.count),"last":\(number + 1 >= count)}
        """)
    },
    WildStyle(
      "page and page count, by POST",
      """
      request: {method: POST, path: /notice/list, form: {sid: x}}
      paging: {style: page, page: {form: page}, size: {form: pageSize, value: 20}}
      items: {at: /data/data, id: /id}
      says: {page: /data/page, pageCount: /data/pageCount}
      refused: {when: /code, is_not: 0}
      """
    ) { asked, ids in
      let number = Int(asked.form["page"]!)!
      return .body(
        """
        {"code":0,"data":{"page":\(number),"pageCount":\((ids.count + 19) / 20),
         "data":\(array(ids.page(from: (number - 1) * 20)))}}
        """)
    },
    WildStyle(
      "page and a flag that more follows",
      """
      paging: {style: page, page: {query: page}, size: {query: pagesize, value: 20}}
      items: {at: /items, id: /id}
      says: {hasMore: /has_more}
      """
    ) { asked, ids in
      let number = Int(asked.query["page"]!)!
      return .body(
        #"{"items":\#(array(ids.page(from: (number - 1) * 20))),"has_more":\#(number * 20 < ids.count)}"#)
    },
    WildStyle("page, and nothing said: an empty page ends", bare) { asked, ids in
      .body(array(ids.page(from: (Int(asked.query["page"]!)! - 1) * 20)))
    },
    WildStyle("page, and nothing said: 404 ends", bare) { asked, ids in
      let number = Int(asked.query["page"]!)!
      let page = ids.page(from: (number - 1) * 20)
      return page.isEmpty && number > 1 ? .body("{}", status: 404) : .body(array(page))
    },
    WildStyle("page, and nothing said: the last page comes again", bare, allows: ["loop_stopped"]) {
      asked, ids in
      let last = max(0, (ids.count - 1) / 20)
      return .body(array(ids.page(from: min(Int(asked.query["page"]!)! - 1, last) * 20)))
    },
    WildStyle(
      "page, total and page count in header fields",
      """
      paging: {style: page, page: {query: page}, size: {query: per_page, value: 20}}
      items: {at: "", id: /id}
      says: {total: "header:X-WP-Total", pageCount: "header:X-WP-TotalPages"}
      """
    ) { asked, ids in
      .body(
        array(ids.page(from: (Int(asked.query["page"]!)! - 1) * 20)),
        fields: [("X-WP-Total", "\(ids.count)"), ("X-WP-TotalPages", "\((ids.count + 19) / 20)")])
    },
    WildStyle(
      "offset, limit and a total",
      """
      paging: {style: offset, offset: {query: startAt}, size: {query: maxResults, value: 20}}
      items: {at: /issues, id: /id}
      says: {total: /total}
      """
    ) { asked, ids in
      let page = ids.page(from: Int(asked.query["startAt"]!)!)
      return .body(#"{"issues":\#(array(page)),"total":\#(ids.count)}"#)
    },
    WildStyle(
      "offset and limit, and nothing said",
      """
      paging: {style: offset, offset: {query: skip}, size: {query: limit, value: 20}}
      items: {at: "", id: /id}
      """
    ) { asked, ids in .body(array(ids.page(from: Int(asked.query["skip"]!)!))) },
    WildStyle(
      "numbered tokens",
      """
      paging: {style: offset, offset: {query: token, prefix: T}, size: {value: 20}}
      items: {at: /list, id: /id}
      says: {total: /total}
      """
    ) { asked, ids in
      let page = ids.page(from: Int(asked.query["token"]!.dropFirst())!)
      return .body(#"{"list":\#(array(page)),"total":\#(ids.count)}"#)
    },
    WildStyle(
      "a Range in a unit of items, and Content-Range",
      """
      paging: {style: range, range: {unit: items}, size: {value: 20}}
      items: {at: "", id: /id}
      """
    ) { asked, ids in
      let bounds = asked.header("Range")!.dropFirst("items=".count).split(separator: "-").map { Int($0)! }
      let page = ids.page(from: bounds[0], size: bounds[1] - bounds[0] + 1)
      if page.isEmpty, bounds[0] > 0 { return .body("", status: 416) }
      let range = page.isEmpty ? "*/0" : "\(bounds[0])-\(bounds[0] + page.count - 1)/\(ids.count)"
      return .body(
        array(page), status: page.count < ids.count ? 206 : 200, fields: field("Content-Range", range))
    },
    WildStyle(
      "a Range to a server that pays no regard to it",
      """
      paging: {style: range, range: {unit: items}, size: {value: 20}}
      items: {at: "", id: /id}
      """
    ) { _, ids in .body(array(ids)) },
    WildStyle(
      "a first page at another URL",
      """
      request: {path: /index.json}
      paging: {style: page, page: {path: "/page{}.json", bare: true}}
      items: {at: /items, id: /id}
      """
    ) { asked, ids in
      let number = asked.path == "/index.json" ? 1 : Int(asked.path.dropFirst(5).dropLast(5))!
      let page = ids.page(from: (number - 1) * 20)
      return page.isEmpty && number > 1
        ? .body("<html>", status: 404) : .body(#"{"items":\#(array(page))}"#)
    },
  ]

  private static let bare = """
    paging: {style: page, page: {query: page}}
    items: {at: "", id: /id}
    """
}
