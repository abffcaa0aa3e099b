/// A search for the last item served, whose neighbour comes next.
///
/// A page that shows an anchor together with what is behind it proves the seam, whatever moved before. Where pages can
/// begin anywhere, such a page is asked for (`search`). Where they begin where they begin, no page shows both sides of a
/// standing list's seam: so the page before is looked at again (`lookBack`), and an anchor at its very end tells that the
/// candidate starts where the reader is. That holds if nothing moved between the two requests; where the list is known to
/// move, they have to agree three times, which in a list that moves all the time leaves a small chance of error.
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
  /// A page in which an older anchor was found, and what looked new behind it. Taken when a closer look does not show the
  /// newest anchor: then that is gone.
  var pending: (page: Page, place: Place, sight: Sight)?
  /// How often in a row the page before was what it had been, with an anchor at its end, and so was the candidate.
  var agreements = 0
  /// Fingerprint of the page before the candidate, as it was last seen.
  var before: UInt64
}
