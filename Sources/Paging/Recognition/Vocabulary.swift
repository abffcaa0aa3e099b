// Names are compared folded: letters and digits only, in lower case, so that total_count, totalCount, total-count and
// @total.count are one word. Within each table the more telling word comes first.

/// The words by which upstreams name what their answers and requests hold.
enum Vocabulary {
  /// `name` without what naming habits differ in.
  static func folded(_ name: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(name.utf8.count)
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xFF:
        bytes.append(byte)
      default: break
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What follows `part` in `text`; nil where it is not in it. (The standard library's own search is in a module that the
  /// server does not load.)
  static func rest(of text: String, behind part: String) -> Substring? {
    var rest = text[...]
    while !rest.isEmpty {
      if rest.hasPrefix(part) { return rest.dropFirst(part.count) }
      rest = rest.dropFirst()
    }
    return nil
  }

  // MARK: Items

  /// Where items usually are.
  static let items: Set<String> = [
    "items", "item", "data", "datas", "results", "result", "list", "lists", "records", "record", "rows",
    "content",
    "contents", "values", "value", "entries", "entry", "hits", "docs", "documents", "objects", "nodes",
    "edges",
    "collection", "children", "members", "elements", "features", "resources", "subjects", "vlist", "datalist",
    "resultlist", "listdata", "pagelist", "response", "payload", "body", "array",
  ]

  /// Arrays and objects that stand beside the items and are none.
  static let asides: Set<String> = [
    "errors", "warnings", "links", "link", "included", "facets", "aggregations", "aggs", "fields",
    "fieldaliases",
    "columns", "sort", "sorts", "orderby", "filters", "filter", "synctags", "marks", "ad", "ads",
    "advertises",
    "navigatepagenums", "htmlattributions", "topreplies", "hot", "actions", "property", "properties",
    "suggestion", "suggestions", "keywords", "extensions", "slist", "tlist", "permissions", "shards", "args",
    "params", "parameters", "responsemetadata", "debug", "limits", "constraints", "pagination", "paging",
    "pageable", "pageinfo", "meta", "metadata", "error", "cursors", "cursor", "attr", "queries", "notices",
    "details", "failures", "scopes", "sorting", "breadcrumbs", "searchmetadata", "summary",
  ]

  /// What a wrapper around one item is called: the item's own id is inside.
  static let itemWrappers: Set<String> = [
    "sys", "metadata", "id", "attributes", "data", "node", "resource", "target", "origin", "item", "subject",
    "source", "fields", "object", "content", "entity", "record", "payload", "document",
  ]

  // MARK: Totals and pages

  static let totals: [String] = [
    "total", "totalcount", "totalcounts", "totalelements", "totalresults", "totalitems", "totalrecords",
    "totalsize", "totalhits", "totalnumber", "totalnum", "totals", "totalrows", "totalentries",
    "totalobjects",
    "recordsfiltered", "recordstotal", "numfound", "nbhits", "found", "odatacount", "allcount", "rowcount",
    "recordcount", "elementcount", "totalitemcount", "totalamount", "count",
  ]
  /// Words that name a total in some places and the number of items on the page, or a page size, in others.
  static let doubtfulTotals: Set<String> = ["count", "size", "items", "records", "rowcount", "recordcount"]

  static let pageCounts: [String] = [
    "pagecount", "totalpages", "totalpage", "pagetotal", "pages", "lastpage", "numpages", "nbpages",
    "maxpage",
    "pagescount", "totalpagecount",
  ]

  /// In answers.
  static let pageNumbers: [String] = [
    "page", "currentpage", "curpage", "pagenum", "pageno", "pagenumber", "pageindex", "pn", "current",
    "number",
    "effectivepage",
  ]
  static let offsets: [String] = [
    "offset", "start", "skip", "startat", "from", "startindex", "skipped", "sysparmoffset", "resultoffset",
    "effectiveoffset", "paginationstart",
  ]
  static let pageSizes: [String] = [
    "perpage", "pagesize", "limit", "size", "ps", "pagelen", "maxresults", "itemsperpage", "resultsperpage",
    "effectivelimit", "rows", "hitsperpage",
  ]

  // MARK: What follows

  static let hasMore: [String] = [
    "hasmore", "hasnextpage", "hasnext", "more", "moreresults", "morepages", "moreitems", "nextpageexists",
    "istruncated", "truncated", "exceededtransferlimit", "morechanges", "hasmorepages", "hasmoreitems",
  ]
  static let isLast: [String] = [
    "isend", "islast", "islastpage", "last", "lastpage", "nomore", "end", "over", "done", "endofrecords",
    "endofstream", "finished", "isfinished", "eof", "completed", "isover",
  ]

  /// Names of a URL of the next page.
  static let nextURLs: [String] = [
    "next", "nexturl", "nexthref", "nextlink", "odatanextlink", "nextpageurl", "nextpageuri", "nextpagelink",
    "nextrecordsurl", "nexturi", "nextpage", "nextresults",
  ]
  /// Names of URLs that lead to what changes later, not to what follows.
  static let laterURLs: Set<String> = [
    "nextsyncurl", "odatadeltalink", "refreshurl", "futurehref", "deltalink",
  ]

  // MARK: Requests

  static let pageParameters: [String] = [
    "page", "pagenum", "pageno", "pagenumber", "pageindex", "pagenr", "currentpage", "curpage", "current",
    "pn", "p",
    "pageid", "paginationpage", "pagecurrent",
  ]
  static let offsetParameters: [String] = [
    "offset", "start", "skip", "startat", "from", "startindex", "sysparmoffset", "resultoffset",
    "paginationstart", "paginationoffset", "displaystart", "first", "begin", "pageoffset", "startrow",
  ]
  static let sizeParameters: [String] = [
    "perpage", "pagesize", "limit", "size", "count", "ps", "rows", "num", "maxresults", "top", "n", "length",
    "sysparmlimit", "resultrecordcount", "displaylength", "pagelen", "paginationpagesize", "paginationlimit",
    "hitsperpage", "take", "number", "itemsperpage", "pagelimit", "rp", "maxitems",
  ]
  /// What marks a place to go on from, in requests.
  static let tokenParameters: [String] = [
    "cursor", "pagetoken", "after", "continue", "startcursor", "startingafter", "nexttoken", "marker",
    "pageinfo",
    "cursormark", "scrollid", "next", "nextcursor", "maxid", "sinceid", "maxtime", "bookmark", "offset",
    "start",
    "from", "page", "continuationtoken", "searchafter", "pageafter", "nextopenid", "pagehandle",
  ]

  // MARK: Refusals

  /// Flags that are true in a success.
  static let successFlags: [String] = ["success", "succeeded", "ok", "issuccess", "succ", "isok", "response"]
  /// Present, and saying something, in a failure.
  static let errorMarks: [String] = [
    "error", "errors", "errcode", "errorcode", "errno", "errornumber", "errcd", "fault", "exception",
  ]
  /// Codes that say 0, 200 or a word in a success.
  static let codes: [String] = [
    "code", "statuscode", "status", "stat", "ret", "retcode", "returncode", "resultcode", "rescode",
    "respcode",
    "bizcode", "rc", "state",
  ]
  static let messages: [String] = [
    "message", "msg", "errmsg", "errormsg", "errormessage", "errordescription", "errorinfo", "error", "info",
    "reason", "detail", "description", "errorinfos", "desc", "title",
  ]
  static let successValues: Set<String> = [
    "0", "00", "000", "0000", "00000", "000000", "200", "1", "ok", "success", "succeed", "succeeded", "true",
    "10000", "s", "zeroresults", "成功", "操作成功",
  ]
  static let failureValues: Set<String> = [
    "fail", "failed", "failure", "error", "err", "ko", "nok", "false", "invalid", "denied", "e",
  ]
  /// What failures' words have in them.
  static let failureParts: [String] = [
    "error", "fail", "invalid", "denied", "limit", "exceed", "quota", "unauthorized", "forbidden", "notfound",
    "expired", "notallowed", "unknown", "illegal", "missing",
  ]
}
