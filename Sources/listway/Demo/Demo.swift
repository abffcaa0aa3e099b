import Configuration
import EventLoop
import Gateway
import MicrohttpdServer

/// `listway demo`: the gateway in front of a bundled upstream, in one process.
enum Demo {
  static func run(_ options: DemoOptions) -> Int32 {
    let words = [
      "DEMO_ADDRESS": options.address, "DEMO_PORT": String(options.port),
      "DEMO_ADMIN_PORT": String(options.adminPort), "DEMO_UPSTREAM_PORT": String(options.upstreamPort),
    ]
    guard
      var configuration = Listway.load(
        Array(Self.configuration.utf8), name: "demo", environment: { words[$0] })
    else { return ExitStatus.usage }
    if let store = options.store { configuration.store = .embedded(store) }
    Signals.prepare()
    do {
      let upstreamLoops = try Loops(count: 1)
      let upstream = try DemoServers(options, loop: upstreamLoops.all[0])
      try upstreamLoops.start()
      let service = try RunningService(configuration, name: "demo")
      try service.start()
      Terminal.print(greeting(options))
      service.stop(because: Signals.waitForStop())
      upstreamLoops.stopAndWait()
      withExtendedLifetime(upstream) {}
      return ExitStatus.done
    } catch {
      Terminal.error("listway: \(error)")
      return ExitStatus.failed
    }
  }

  private static func greeting(_ options: DemoOptions) -> String {
    """

    Listway serves the demo on port \(options.port). Try, in another terminal:

      curl -s 'localhost:\(options.port)/v1/lists/notices?limit=3'
      curl -s 'localhost:\(options.port)/v1/lists/users?category_id=1&limit=3'
      curl -s -X POST localhost:\(options.faultsPort)/down ; curl -s localhost:\(options.port)/v1/lists/notices

    The same in a browser: http://localhost:\(options.port)/

    Faults of the demo upstream: POST slow, down, 500, html, refused or none to port \(options.faultsPort).
    Figures: localhost:\(options.adminPort)/metrics and /status. Ctrl-C ends it.

    """
  }

  /// What an operator would write for the demo upstream.
  static let configuration = """
    listen: {address: "${DEMO_ADDRESS}", port: "${DEMO_PORT}"}
    admin: {address: 127.0.0.1, port: "${DEMO_ADMIN_PORT}"}
    log: {level: warn}
    access: none
    debug: true
    upstreams:
      demo:
        url: http://127.0.0.1:${DEMO_UPSTREAM_PORT}
        timeout: {connect: 1s, total: 2s}
        refused: {when: /code, in: [1001, 1002], code: /code, message: /message}
    lists:
      notices:
        title: Notices
        description: What happened, the latest first. Ids are beyond 2^53, and amounts end with a zero.
        upstream: demo
        request: {path: /notices}
        paging: {style: page, page: {query: page, first: 1}, size: {query: pageSize, value: 20}}
        items: {at: /data/data, id: /id}
        says: {page: /data/page, pageCount: /data/pageCount}
        # Nothing stands in for a fault: it is to be seen.
        cache: {keep: 0s}
      categories:
        title: Categories
        description: Nine of them; each has users.
        upstream: demo
        request: {path: /categories}
        paging: {style: whole}
        items: {at: "", id: /id}
      users:
        title: Users of a category
        upstream: demo
        parameters:
          category_id: {type: integer, required: true, min: 1, max: 9, description: A category's number.}
        request: {path: /users, query: {category_id: "{category_id}"}}
        paging: {style: page, page: {query: page, first: 1}, size: {query: per_page, value: 50}}
        items: {at: /list, id: /uid}
        says: {total: /total}
        cache: {keep: 0s}
    """
}
