import Foundation
import TestSupport
import Testing

/// The explorer in a real browser, in front of the real program.
@Suite(
  "Explorer in a browser", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: Browser.isInstalled, "chromium and chromium-driver are missing: config/install test"))
struct ExplorerPageTests {
  /// Scrolls on until the list's end is on the page.
  private func scrollToTheEnd(_ browser: Browser) throws {
    try browser.wait(
      until: "document.querySelector('#foot').textContent.startsWith('That is all')", seconds: 120,
      doing: "window.scrollTo(0, document.body.scrollHeight)")
  }

  /// The number in each row's title, which is the item's place in the demo's lists.
  private func places(_ browser: Browser) throws -> [Int] {
    // "user 7 of category 6", "Somebody paid invoice 7"
    try browser.texts("#feed > li .name").compactMap { name in
      let words = name.split(separator: " ")
      return (words.first == "user" ? words.dropFirst().first : words.last).flatMap { Int($0) }
    }
  }

  /// A failed request is written to the console by the browser itself; anything else there is the page's fault.
  private func faults(_ browser: Browser) throws -> [Browser.Entry] {
    try browser.console().filter { !($0.source == "network" && $0.text.contains("/v1/lists/")) }
  }

  @Test("scrolled to the end of 2,037 items, the page has each once, in order, with its digits, and no error")
  func scrolled() throws {
    let demo = try RunningDemo()
    let browser = try Browser()
    try browser.open(demo.page("/notices?limit=200"))
    try browser.wait(until: "document.querySelector('#feed > li')")
    try browser.run("document.querySelector('#feed summary').click()")
    try browser.wait(until: "document.querySelector('#feed pre')")
    #expect(try browser.texts("#feed pre .figure").first == "9007199254740993")
    #expect(try browser.texts("#feed pre .figure").contains("0.00"))
    try browser.show("items")
    try scrollToTheEnd(browser)
    #expect(try places(browser) == Array(0..<2_037))
    #expect(try browser.texts("#foot") == ["That is all: 2,037 items"])
    #expect(try browser.texts("#log tbody tr").count == 11)
    #expect(try browser.console().map(\.description) == [])
    try browser.show("end")
  }

  @Test(
    "an upstream that goes and comes back in mid-scroll costs no item: the page says so, waits, and goes on by itself"
  )
  func interrupted() throws {
    let demo = try RunningDemo()
    let browser = try Browser(isPhone: true)
    try browser.open(demo.page("/users?category_id=6&limit=20"))
    let bottom = "window.scrollTo(0, document.body.scrollHeight)"
    try browser.wait(until: "document.querySelectorAll('#feed > li').length >= 100", doing: bottom)
    try demo.fail("down")
    try browser.wait(until: "document.querySelector('#foot .card')", doing: bottom)
    let shown = try places(browser)
    #expect(shown.count >= 100)
    #expect(
      try browser.run("return document.querySelector('#foot .card').dataset.code") as? String
        == "upstream_unreachable")
    #expect(try browser.texts("#foot [role=timer]").first?.hasPrefix("again by itself in ") == true)
    try browser.show("unreachable")
    try demo.fail("none")
    try browser.wait(
      until:
        "document.querySelectorAll('#feed > li').length > \(shown.count) && !document.querySelector('.card')",
      seconds: 60)
    try scrollToTheEnd(browser)
    #expect(try places(browser) == Array(0..<311))
    #expect(try faults(browser).map(\.description) == [])
  }

  @Test("quick switching between two categories shows no other category's rows")
  func switching() throws {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let category = request.target.contains("category=1") ? 1 : 2
        // The first category is the slower one: its answers come when the second has been chosen.
        if category == 1 { connection.sleep(.milliseconds(60)) }
        let items = (0..<40).map {
          #"{"id":\#(category * 100 + $0),"title":"Row \#($0) of category \#(category)"}"#
        }
        let body = "[\(items.joined(separator: ","))]"
        connection.send(ListUpstream.response(200, "application/json", Array(body.utf8)))
      }
    }
    defer { upstream.stop() }
    let service = try Service(
      """
      upstreams: {shop: {url: "http://127.0.0.1:\(upstream.port)"}}
      lists:
        rows:
          upstream: shop
          parameters: {category: {type: integer, required: true, min: 1, max: 2}}
          request: {path: /rows, query: {category: "{category}"}}
          paging: {style: whole}
          items: {at: "", id: /id}
      """)
    let browser = try Browser()
    try browser.open("http://127.0.0.1:\(service.port)/#/rows?category=1")
    try browser.wait(until: "document.querySelectorAll('#feed > li').length > 0")
    try browser.run(
      """
      window.strangers = []; window.added = 0;
      new MutationObserver((changes) => {
        const wanted = document.querySelector("#p-category").value;
        for (const row of changes.flatMap((change) => [...change.addedNodes])) {
          window.added++;
          if (!row.textContent.includes(`of category ${wanted}`)) window.strangers.push(row.textContent);
        }
      }).observe(document.querySelector("#feed"), { childList: true });
      """)
    var random = SeededRandom(seed: 7)
    for step in 1...60 {
      let category = step % 2 + 1
      try browser.run("location.hash = `#/rows?category=${arguments[0]}`", category)
      usleep(UInt32.random(in: 0...90_000, using: &random))
    }
    try browser.run("location.hash = '#/rows?category=2'")
    try browser.wait(
      until: "document.querySelectorAll('#feed > li').length === 40", doing: "window.scrollTo(0, 1e6)")
    #expect(try browser.run("return window.strangers") as? [String] == [])
    #expect(try browser.run("return window.added") as? Int ?? 0 > 40)
    #expect(try browser.texts("#feed .name").allSatisfy { $0.hasSuffix("of category 2") })
    #expect(try faults(browser).map(\.description) == [])
  }

  /// A fault of the demo's upstream, and what the page makes of it.
  struct Shown: Sendable, CustomTestStringConvertible {
    let fault: String
    let code: String
    let says: String
    /// Whether the page goes on by itself.
    let waits: Bool
    var testDescription: String { fault }
  }

  @Test("each failure is shown as what it is, and gone when it is over")
  func failures() throws {
    let demo = try RunningDemo()
    let browser = try Browser(isDark: true)
    let all = [
      Shown(fault: "500", code: "upstream_fault", says: "The server has a fault", waits: false),
      Shown(fault: "html", code: "upstream_fault", says: "The server has a fault", waits: false),
      Shown(fault: "refused", code: "upstream_refused", says: "Your subscription has ended.", waits: false),
      Shown(fault: "slow", code: "upstream_timeout", says: "It takes too long", waits: false),
      Shown(fault: "down", code: "upstream_unreachable", says: "The server cannot be reached", waits: true),
    ]
    for (index, shown) in all.enumerated() {
      try demo.fail(shown.fault)
      // A category that nobody has asked for yet: nothing is known of it that could be shown instead.
      try browser.open(demo.page("/users?category_id=\(index + 1)"))
      try browser.wait(until: "document.querySelector('#foot .card')")
      #expect(try browser.texts("#foot .card .detail code") == [shown.code])
      #expect(try browser.texts("#foot .card").first?.contains(shown.says) == true)
      #expect(try browser.texts("#foot [role=timer]").isEmpty == !shown.waits)
      try browser.show("failure-\(shown.fault)")
      try demo.fail("none")
      if !shown.waits { try browser.run("document.querySelector('.card button').click()") }
      try browser.wait(until: "document.querySelector('#feed > li') && !document.querySelector('.card')")
    }
    try browser.open(demo.page("/users?category_id=12"))
    try browser.wait(until: "document.querySelector('.card[data-code=invalid_request]')")
    #expect(
      try browser.run("return document.querySelector('[aria-invalid]').name") as? String == "category_id")
    try browser.open(demo.page("/users"))
    try browser.wait(
      until: "document.querySelector('#foot').textContent.includes('Give category_id to begin')")
    #expect(try faults(browser).map(\.description) == [])
  }

  @Test("a pull refreshes, and shows the same items again")
  func refreshed() throws {
    let demo = try RunningDemo()
    let browser = try Browser(isPhone: true)
    try browser.open(demo.page("/users?category_id=2"))
    try browser.wait(until: "document.querySelector('#feed > li')")
    try browser.pullDown()
    try browser.wait(until: "document.querySelector('#log tbody').textContent.includes('refresh')")
    try browser.wait(until: "document.querySelector('#feed').getAttribute('aria-busy') === 'false'")
    #expect(try browser.texts("#feed .name").first == "user 0 of category 2")
    let names = try browser.texts("#feed .name")
    #expect(Set(names).count == names.count)
  }

  @Test("contrast, names and roles are as WCAG 2.1 AA wants them, in light and dark, wide and narrow")
  func accessible() throws {
    guard let axe = BrowserTools.axe else {
      print(BrowserTools.folder.reason)
      return
    }
    let demo = try RunningDemo()
    for (isDark, isPhone) in [(false, false), (true, false), (false, true), (true, true)] {
      let browser = try Browser(isDark: isDark, isPhone: isPhone)
      try demo.fail("none")
      try browser.open(demo.page("/users?category_id=3"))
      try browser.wait(until: "document.querySelector('#feed > li')")
      try browser.run("document.querySelector('#feed summary').click()")
      if isPhone { try browser.run("document.querySelector('#inspect').click()") }
      try browser.run(axe)
      #expect(try violations(in: browser) == [], "items, dark: \(isDark), phone: \(isPhone)")
      try browser.show("axe-\(isDark ? "dark" : "light")-\(isPhone ? "phone" : "desk")")
      try demo.fail("refused")
      try browser.run("location.hash = '#/users?category_id=\(isDark ? 4 : 5)&limit=\(isPhone ? 7 : 8)'")
      try browser.wait(until: "document.querySelector('.card')")
      #expect(try violations(in: browser) == [], "failure, dark: \(isDark), phone: \(isPhone)")
    }
  }

  private func violations(in browser: Browser) throws -> [String] {
    let found = try browser.runToEnd(
      """
      const found = await axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] });
      return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} ${target} ${failureSummary}`));
      """)
    return found as? [String] ?? ["\(found ?? "nothing")"]
  }
}
