import Testing

/// One of the servers of `Tests/Upstreams`, and how Listway is configured for its lists.
struct UpstreamServer: Sendable, CustomTestStringConvertible {
  /// The lists of one kind.
  struct Kind: Sendable {
    let name: String
    /// The keys of a list's configuration without its upstream; `{}` stands for the list's name.
    let configuration: String
    /// With the items of each, in order.
    let lists: [(name: String, items: [String])]
  }

  let script: String
  let kinds: [Kind]
  /// Whether it answers one request with an error when it is told to; one that does not is stopped instead.
  var failsOnDemand = true

  var testDescription: String { script }

  /// YAML for all of its lists.
  func configuration(port: UInt16) -> String {
    var text = "upstreams: {real: {url: \"http://127.0.0.1:\(port)\", timeout: {total: 30s}}}\nlists:\n"
    for kind in kinds {
      for list in kind.lists {
        text += "  \(kind.name)-\(list.name):\n    upstream: real\n    maxLimit: 500\n"
        // What a failing upstream makes of a list is to be seen: nothing known stands in.
        text += "    cache: {keep: 0s}\n"
        for line in kind.configuration.replacing("{}", with: list.name).split(separator: "\n") {
          text += "    \(line)\n"
        }
      }
    }
    return text
  }

  // MARK: The servers

  static let all = [djangoREST, fastAPI, graphQL, registry]

  private static func lists(_ price: UpstreamItems.Price) -> [(name: String, items: [String])] {
    UpstreamItems.lists.map { list in
      (list.name, (0..<list.count).map { UpstreamItems.text($0, price: price) })
    }
  }

  private static let djangoREST = UpstreamServer(
    script: "django_rest.py",
    kinds: [
      Kind(
        name: "page",
        configuration: """
          request: {path: "/page/{}/"}
          paging: {style: page, page: {query: page}, size: {query: page_size, value: 20}}
          items: {at: /results, id: /id}
          says: {total: /count}
          """, lists: lists(.number)),
      Kind(
        name: "limit",
        configuration: """
          request: {path: "/limit/{}/"}
          paging: {style: offset, offset: {query: offset}, size: {query: limit, value: 20}}
          items: {at: /results, id: /id}
          says: {total: /count}
          """, lists: lists(.number)),
      Kind(
        name: "cursor",
        configuration: """
          request: {path: "/cursor/{}/"}
          paging: {style: nextURL, size: {query: page_size, value: 20}}
          items: {at: /results, id: /id}
          says: {next: /next}
          """, lists: lists(.number)),
    ])

  private static let fastAPI = UpstreamServer(
    script: "fastapi_pages.py",
    kinds: [
      Kind(
        name: "page",
        configuration: """
          request: {path: "/page/{}"}
          paging: {style: page, page: {query: page}, size: {query: size, value: 20}}
          items: {at: /items, id: /id}
          says: {total: /total, pageCount: /pages, page: /page}
          """, lists: lists(.text)),
      Kind(
        name: "limit",
        configuration: """
          request: {path: "/limit/{}"}
          paging: {style: offset, offset: {query: offset}, size: {query: limit, value: 20}}
          items: {at: /items, id: /id}
          says: {total: /total}
          """, lists: lists(.text)),
      Kind(
        name: "cursor",
        configuration: """
          request: {path: "/cursor/{}"}
          paging: {style: token, token: {query: cursor}, size: {query: size, value: 20}}
          items: {at: /items, id: /id}
          says: {total: /total, next: /next_page}
          """, lists: lists(.text)),
    ])

  private static let graphQL = UpstreamServer(
    script: "graphql_connections.py",
    kinds: [
      Kind(
        name: "connection",
        configuration: """
          request:
            method: POST
            path: /graphql/
            json:
              query: >-
                query Walk($list: String!, $first: Int, $after: String) {
                items(list: $list, first: $first, after: $after) {
                totalCount edges { node { id: code hour big price text note tags } }
                pageInfo { hasNextPage endCursor } } }
              variables: {list: "{}", after: null}
          paging:
            style: graphql
            connection: /data/items
            after: {json: /variables/after}
            size: {json: /variables/first, value: 20}
          items: {at: /data/items/edges, each: /node, id: /id}
          says: {total: /data/items/totalCount}
          """, lists: lists(.number))
    ])

  /// Its catalog is one list, in the order of bytes; the shorter ones begin behind one of its items.
  private static let registry: UpstreamServer = {
    let names = (0..<131).map { "library/\(UpstreamItems.id($0))" }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let all = names.map { "\"\($0)\"" }
    func rest(_ count: Int) -> (name: String, items: [String]) {
      (names[all.count - count - 1].replacing("library/", with: ""), Array(all.suffix(count)))
    }
    return UpstreamServer(
      script: "registry.py",
      kinds: [
        Kind(
          name: "link",
          configuration: """
            request: {path: /v2/_catalog}
            paging: {style: link, size: {query: n, value: 20}}
            items: {at: /repositories, id: ""}
            """, lists: [("many", all)]),
        Kind(
          name: "keyset",
          configuration: """
            request: {path: /v2/_catalog}
            paging: {style: keyset, keyset: {query: last, key: ""}, size: {query: n, value: 20}}
            items: {at: /repositories, id: ""}
            """, lists: [("many", all)]),
        Kind(
          name: "after",
          configuration: """
            request: {path: /v2/_catalog, query: {last: "library/{}"}}
            paging: {style: link, size: {query: n, value: 20}}
            items: {at: /repositories, id: ""}
            """, lists: [rest(0), rest(1), rest(9), rest(60)]),
      ], failsOnDemand: false)
  }()
}
