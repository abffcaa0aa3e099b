import Caching
import HTTPSemantics
import JSON
package import Paging

/// A page with what else its answer said: what is kept, and what those get who wait for it.
package final class KnownPage: Sendable {
  package let page: Page
  /// What the upstream says of keeping it; nil where the list says so itself.
  let terms: UpstreamTerms?
  /// What the answer taught of a list whose paging is recognised; nil where the plan is the list's.
  let learned: RecognisedPlan.Learned?

  init(_ page: Page, terms: UpstreamTerms?, learned: RecognisedPlan.Learned?) {
    self.page = page
    self.terms = terms
    self.learned = learned
  }

  func inEdition(_ edition: UInt32) -> KnownPage {
    page.edition == edition
      ? self : KnownPage(Page(page, edition: edition), terms: terms, learned: learned)
  }

  /// What it takes of the memory, allocations included.
  var byteCount: Int {
    var count = 512 + page.body.count
    count += page.items.count * MemoryLayout<Page.Item>.stride
    count += page.keys.count * MemoryLayout<Range<Int>>.stride
    count += page.warnings.entries.count * MemoryLayout<Warnings.Entry>.stride
    switch page.said.next {
    case .text(let bytes), .json(let bytes), .target(let bytes): count += 32 + bytes.count
    case .unsaid, .none: break
    }
    if terms != nil { count += MemoryLayout<UpstreamTerms>.size + 512 }
    if let learned { count += 2_048 + learned.bytes.count }
    return count
  }
}

/// How a flight ended, for everybody who waits for it.
final class Landing: Sendable {
  let result: Result<KnownPage, GatewayError>
  /// Until when the page is what; nil of a failure, and of a page that may not be kept.
  let lifetime: Lifetime?
  let isStored: Bool
  /// Whether the upstream said that the page which was held is still good (304).
  let isRenewed: Bool
  /// How often the upstream was asked.
  let sentCount: Int
  /// What a page is good for that came out of the store; nil of one that the upstream sent.
  let stored: StoredStanding?

  init(
    _ result: Result<KnownPage, GatewayError>, lifetime: Lifetime?, isStored: Bool, isRenewed: Bool,
    sentCount: Int, stored: StoredStanding? = nil
  ) {
    self.stored = stored
    self.result = result
    self.lifetime = lifetime
    self.isStored = isStored
    self.isRenewed = isRenewed
    self.sentCount = sentCount
  }

  /// Of whoever waits no longer.
  static let left = Landing(
    .failure(GatewayError(TransportFailure(kind: .cancelled, detail: "nobody waits for it any more"))),
    lifetime: nil, isStored: false, isRenewed: false, sentCount: 0)
}
