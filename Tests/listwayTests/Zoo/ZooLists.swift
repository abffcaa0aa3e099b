/// How Listway is configured for the lists of one kind that a server of the zoo has.
struct ZooLists: Sendable {
  let name: String
  /// What the zoo calls their truth; `{}` stands for the list's name.
  let truth: String
  /// The keys of a list's configuration without its upstream; `{}` stands for the list's name.
  let configuration: String
  /// With the number of items.
  let lists: [(name: String, count: Int)]
  /// The members of an item that the truth holds; nil for all.
  var members: [String]?
  /// Whether the long list is walked with a limit of 1, once a server: each slice asks for a page.
  var isWalkedOneByOne = false

  static let four: [(name: String, count: Int)] = [("items", 1_037), ("none", 0), ("one", 1), ("even", 200)]
  private static let long: [(name: String, count: Int)] = [("items", 1_037)]

  /// The lists of a server.
  static func of(_ server: String) -> [ZooLists] { all[server] ?? [] }

  static let servers = ["drf", "fastapi-pagination", "docker-registry", "graphql-relay", "prefect"]

  private static let all: [String: [ZooLists]] = [
    "drf": django, "fastapi-pagination": fastAPI, "docker-registry": registry, "graphql-relay": graphQL,
    "prefect": prefect,
  ]

  // MARK: Django REST Framework

  private static let django = [
    ZooLists(
      name: "page", truth: "page/{}",
      configuration: """
        request: {path: "/page/{}/"}
        paging: {style: page, page: {query: page}, size: {query: page_size, value: 20}}
        items: {at: /results, id: /number}
        says: {total: /count}
        """, lists: four, isWalkedOneByOne: true),
    ZooLists(
      name: "page-and-next", truth: "page/{}",
      configuration: """
        request: {path: "/page/{}/"}
        paging: {style: page, page: {query: page}, size: {query: page_size, value: 50}}
        items: {at: /results, id: /number}
        says: {total: /count, next: /next}
        """, lists: four),
    ZooLists(
      name: "page-by-next", truth: "page/{}",
      configuration: """
        request: {path: "/page/{}/"}
        paging: {style: nextURL, size: {query: page_size, value: 100}}
        items: {at: /results, id: /number}
        says: {total: /count, next: /next}
        """, lists: four),
    ZooLists(
      name: "page-that-divides", truth: "page/{}",
      configuration: """
        request: {path: "/page/{}/"}
        paging: {style: page, page: {query: page}, size: {query: page_size, value: 17}}
        items: {at: /results, id: /number}
        says: {total: /count}
        """, lists: long),
    ZooLists(
      name: "page-until-404", truth: "page/{}",
      configuration: """
        request: {path: "/page/{}/"}
        paging: {style: page, page: {query: page}, size: {query: page_size, value: 100}}
        items: {at: /results, id: /number}
        """, lists: [("even", 200)]),
    ZooLists(
      name: "limit", truth: "limit/{}",
      configuration: """
        request: {path: "/limit/{}/"}
        paging: {style: offset, offset: {query: offset}, size: {query: limit, value: 50}}
        items: {at: /results, id: /number}
        says: {total: /count}
        """, lists: four),
    ZooLists(
      name: "limit-by-next", truth: "limit/{}",
      configuration: """
        request: {path: "/limit/{}/"}
        paging: {style: nextURL, size: {query: limit, value: 100}}
        items: {at: /results, id: /number}
        says: {total: /count, next: /next}
        """, lists: four),
    ZooLists(
      name: "cursor", truth: "cursor/{}",
      configuration: """
        request: {path: "/cursor/{}/"}
        paging: {style: nextURL, size: {query: page_size, value: 50}}
        items: {at: /results, id: /number}
        says: {next: /next}
        """, lists: four),
    ZooLists(
      name: "whole", truth: "whole/{}",
      configuration: """
        request: {path: "/whole/{}/"}
        paging: {style: whole}
        items: {at: "", id: /number}
        """, lists: four),
  ]

  // MARK: fastapi-pagination

  private static let fastAPI = [
    ZooLists(
      name: "page", truth: "page/{}",
      configuration: """
        request: {path: "/page/{}"}
        paging: {style: page, page: {query: page}, size: {query: size, value: 100}}
        items: {at: /items, id: /id}
        says: {total: /total, pageCount: /pages, page: /page}
        """, lists: four),
    ZooLists(
      name: "limit", truth: "limit/{}",
      configuration: """
        request: {path: "/limit/{}"}
        paging: {style: offset, offset: {query: offset}, size: {query: limit, value: 100}}
        items: {at: /items, id: /id}
        says: {total: /total}
        """, lists: four),
    ZooLists(
      name: "cursor", truth: "cursor/{}",
      configuration: """
        request: {path: "/cursor/{}"}
        paging: {style: token, token: {query: cursor}, size: {query: size, value: 20}}
        items: {at: /items, id: /id}
        says: {total: /total, next: /next_page}
        """, lists: four, isWalkedOneByOne: true),
    ZooLists(
      name: "links-page", truth: "links-page/{}",
      configuration: """
        request: {path: "/links-page/{}"}
        paging: {style: nextURL, size: {query: size, value: 100}}
        items: {at: /items, id: /id}
        says: {total: /total, next: /links/next}
        """, lists: four),
    ZooLists(
      name: "links-limit", truth: "links-limit/{}",
      configuration: """
        request: {path: "/links-limit/{}"}
        paging: {style: nextURL, size: {query: limit, value: 100}}
        items: {at: /items, id: /id}
        says: {total: /total, next: /links/next}
        """, lists: four),
    ZooLists(
      name: "feed", truth: "feed/{}",
      configuration: """
        request: {path: "/feed/{}"}
        paging: {style: page, page: {query: page}, size: {query: size, value: 100}}
        items: {at: /data, id: /id}
        says: {total: /total, pageCount: /pages, page: /pageNumber}
        """, lists: four),
    ZooLists(
      name: "bare", truth: "bare/{}",
      configuration: """
        request: {path: "/bare/{}"}
        paging: {style: link, size: {query: size, value: 100}}
        items: {at: "", id: /id}
        """, lists: four),
    ZooLists(
      name: "counted", truth: "counted/{}",
      configuration: """
        request: {path: "/counted/{}"}
        paging: {style: offset, offset: {query: offset}, size: {query: limit, value: 100}}
        items: {at: "", id: /id}
        says: {total: "header:X-Total-Count"}
        """, lists: four),
  ]

  // MARK: docker-registry

  private static let registry =
    [17, 50, 61, 100, 1_000].map { size in
      ZooLists(
        name: "by-\(size)", truth: "{}",
        configuration: """
          request: {path: /v2/_catalog}
          paging: {style: link, size: {query: n, value: \(size)}}
          items: {at: /repositories, id: ""}
          """, lists: [("catalog", 1_037)], isWalkedOneByOne: size == 100)
    } + [
      ZooLists(
        name: "by-last-17", truth: "{}",
        configuration: """
          request: {path: /v2/_catalog}
          paging: {style: keyset, keyset: {query: last, key: ""}, size: {query: n, value: 17}}
          items: {at: /repositories, id: ""}
          """, lists: [("catalog", 1_037)]),
      ZooLists(
        name: "linked", truth: "tags:zoo/{}",
        configuration: """
          request: {path: "/v2/zoo/{}/tags/list"}
          paging: {style: link, size: {query: n, value: 100}}
          items: {at: /tags, id: ""}
          """, lists: [("tags", 1_037), ("one", 1)]),
      ZooLists(
        name: "whole", truth: "tags:zoo/{}",
        configuration: """
          request: {path: "/v2/zoo/{}/tags/list"}
          paging: {style: whole}
          items: {at: /tags, id: ""}
          """, lists: [("tags", 1_037), ("one", 1)]),
    ]

  // MARK: strawberry's Relay connections

  private static let graphQL = [
    ZooLists(
      name: "connection", truth: "{}",
      configuration: """
        request:
          method: POST
          path: /graphql/
          json:
            query: >-
              query Walk($list: String!, $first: Int, $after: String) {
              items(list: $list, first: $first, after: $after) { totalCount
              edges { cursor node { id code title note amount price ratio active tags extra created } }
              pageInfo { hasNextPage endCursor } } }
            variables: {list: "{}", after: null}
        paging:
          style: graphql
          connection: /data/items
          after: {json: /variables/after}
          size: {json: /variables/first, value: 100}
        items: {at: /data/items/edges, each: /node, id: /id}
        says: {total: /data/items/totalCount}
        """, lists: four, isWalkedOneByOne: true)
  ]

  // MARK: Prefect

  private static let prefect = [
    ZooLists(
      name: "variables", truth: "variables/{}",
      configuration: """
        request:
          method: POST
          path: /api/variables/filter
          json: {variables: {tags: {all_: ["{}"]}}, sort: NAME_ASC}
        paging: {style: offset, offset: {json: /offset}, size: {json: /limit, value: 100}}
        items: {at: "", id: /id}
        """, lists: four, members: ["name", "value"]),
    ZooLists(
      name: "flows", truth: "flows/{}",
      configuration: """
        request:
          method: POST
          path: /api/flows/paginate
          json: {flows: {tags: {all_: ["{}"]}}, sort: NAME_ASC}
        paging: {style: page, page: {json: /page}, size: {json: /limit, value: 100}}
        items: {at: /results, id: /id}
        says: {total: /count, pageCount: /pages, page: /page}
        """, lists: four, members: ["name"]),
    ZooLists(
      name: "events", truth: "events/{}",
      configuration: """
        request:
          method: POST
          path: /api/events/filter
          json:
            filter:
              event: {prefix: ["zoo.{}."]}
              occurred: {since: "2025-12-31T00:00:00Z", until: "2026-01-02T00:00:00Z"}
              order: ASC
        paging: {style: nextURL, byGet: true, size: {json: /limit, value: 50}}
        items: {at: /events, id: /id}
        says: {total: /total, next: /next_page}
        """, lists: four, members: ["event", "payload"], isWalkedOneByOne: true),
  ]
}
