/// What a slice's reader should know although it worked: machine words with counts, in the order they first arose.
package struct Warnings: Sendable, Hashable {
  package enum Word: UInt8, Sendable, Hashable, CaseIterable {
    /// Items that came twice on one page; counted.
    case duplicatesDropped
    /// Items arrived or left between two pages.
    case listShifted
    /// An item that should have been found again was not: a row may be missing or doubled here.
    case seamUnproven
    case totalChanged
    /// The total contradicts the pages, and is not passed on.
    case totalContradicted
    /// The total is a lower bound.
    case totalIsLowerBound
    /// A total or page count stood there, but could not be read as a count.
    case countUnreadable
    /// A next that repeats, or a page that came before; the walk ended there.
    case loopStopped
    case emptyPageSkipped
    /// Nothing stood where the items should be, and the rest of the answer told that the page is empty.
    case itemsAbsent
    /// No item of a page has the id that tells items apart: shifts and duplicates go unseen.
    case idsAbsent
    /// More was said to follow, but not where.
    case nextMissing
    /// The slice is short because it had asked for as many pages as one slice may.
    case pagesLimited
    /// The slice is short because the answers that its items lie in are as large as one slice may hold.
    case bytesLimited
    /// The slice is short because a page failed; the code says how.
    case pageFailed
    /// The slice is longer than was asked for, because its page comes only once.
    case limitExceeded
    /// The slice is without the items of a list that could not be had; the detail says which. They come later.
    case sectionFailed
    /// The items of a list are not in the order that it is merged by; the detail says which.
    case sourceUnsorted
  }

  package struct Entry: Sendable, Hashable {
    package let word: Word
    package var count: Int
    /// For ``Word/pageFailed`` the error's code; where a list is meant, its name.
    package let detail: String
  }

  package private(set) var entries: [Entry] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  package mutating func add(_ word: Word, count: Int = 1, detail: String = "") {
    if let index = entries.firstIndex(where: { $0.word == word && $0.detail == detail }) {
      entries[index].count += count
    } else {
      entries.append(Entry(word: word, count: count, detail: detail))
    }
  }

  /// For what is said once however often it happens.
  package mutating func addOnce(_ word: Word) {
    if !contains(word) { add(word) }
  }

  /// For what is said once of each detail.
  package mutating func addOnce(_ word: Word, detail: String) {
    if !entries.contains(where: { $0.word == word && $0.detail == detail }) { add(word, detail: detail) }
  }

  package mutating func add(_ others: Warnings) {
    for entry in others.entries { add(entry.word, count: entry.count, detail: entry.detail) }
  }

  package func contains(_ word: Word) -> Bool { entries.contains { $0.word == word } }
}

extension Warnings.Word {
  /// As the envelope spells it.
  package var text: String {
    switch self {
    case .duplicatesDropped: "duplicates_dropped"
    case .listShifted: "list_shifted"
    case .seamUnproven: "seam_unproven"
    case .totalChanged: "total_changed"
    case .totalContradicted: "total_contradicted"
    case .totalIsLowerBound: "total_is_lower_bound"
    case .countUnreadable: "count_unreadable"
    case .loopStopped: "loop_stopped"
    case .emptyPageSkipped: "empty_page_skipped"
    case .itemsAbsent: "items_absent"
    case .idsAbsent: "ids_absent"
    case .nextMissing: "next_missing"
    case .pagesLimited: "pages_limited"
    case .bytesLimited: "bytes_limited"
    case .pageFailed: "page_failed"
    case .limitExceeded: "limit_exceeded"
    case .sectionFailed: "section_failed"
    case .sourceUnsorted: "source_unsorted"
    }
  }
}

extension Warnings.Entry {
  /// As the envelope spells it: `duplicates_dropped:2`, `list_shifted`, `page_failed:upstream_timeout`.
  package var text: String {
    if !detail.isEmpty { return "\(word.text):\(detail)" }
    return word == .duplicatesDropped || (word == .emptyPageSkipped && count > 1)
      ? "\(word.text):\(count)" : word.text
  }
}
