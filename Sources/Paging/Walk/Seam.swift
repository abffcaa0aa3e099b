/// A search for the last item served, whose neighbour comes next.
///
/// A page that shows an anchor together with what is behind it proves the seam, whatever moved before. Where pages can
/// begin anywhere, such a page is asked for (`search`). Where they begin where they begin, no page shows both sides of a
/// standing list's seam: so the page before is looked at again (`lookBack`), and an anchor at its very end tells that the
/// candidate starts where the reader is. That holds if nothing moved between the two requests; where something did move
/// before, they have to agree twice.
struct Seam: Sendable {
  enum Kind: Sendable {
    case search
    /// A page before the candidate is asked for. To: lookAgain.
    case lookBack
    /// The candidate is asked for again. To: lookBack.
    case lookAgain
  }

  var kind: Kind
  /// The page to look at now.
  var place: Place
  /// The page that came in the expected place; taken when no anchor is found.
  var candidate: Page
  /// The list's index of the item that was expected to come next.
  let expected: Int
  /// What has been looked at, as indices of the list.
  var low: Int
  var high: Int
  var looksLeft: Int
  var canGoBack: Bool
  var canGoForward = true
  var goesForwardNext = false
  /// How often, one after the other, the page before ended with an anchor and the candidate stayed what it was.
  var agreements = 0
}
