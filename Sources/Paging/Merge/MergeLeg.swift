/// Some items of one of a merge's lists, one behind the other, and where its walk stands within them.
package protocol MergeLeg: AnyObject {
  /// 0 or more.
  var count: Int { get }
  /// Of all answers that it was made of.
  var byteCount: Int { get }
  /// Of the whole list, where it is known and exact.
  var total: Int? { get }
  /// What its walk warns of.
  var warnings: Warnings { get }
  /// - Parameter index: 0 to ``count`` - 1.
  func heading(of index: Int) -> Heading
  /// Where the list's walk stands when the first `count` items have been shown, 0 to ``count``.
  func place(after count: Int) -> MergePosition.Place
}
