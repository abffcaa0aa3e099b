import HTTPSemantics

extension Window {
  /// How long a window is.
  package enum Length: Sendable, Hashable {
    /// In seconds, a whole number of the form's units.
    case seconds(Int)
    /// So many months of the calendar, counted from January of the year 0: 3 are its quarters, 12 its years.
    case months(Int)

    /// Where the window ends that begins with the second `start`.
    func end(from start: Int) -> Int {
      switch self {
      case .seconds(let seconds): start + seconds
      case .months(let count): Self.second(ofMonth: (Self.month(of: start) / count + 1) * count)
      }
    }

    /// Where the window begins that ends before the second `end`.
    func start(to end: Int) -> Int {
      switch self {
      case .seconds(let seconds): end - seconds
      case .months(let count): Self.second(ofMonth: Self.month(of: end - 1) / count * count)
      }
    }

    /// 0 for January of the year 0; what is beyond the years 0 to 9999 belongs to the nearest month in them.
    private static func month(of second: Int) -> Int {
      let date = CivilDate(unixSeconds: Int64(second))
      return date.year * 12 + date.month - 1
    }

    private static func second(ofMonth month: Int) -> Int {
      CivilDate(year: month / 12, month: month % 12 + 1, day: 1).map { Int($0.unixSeconds) }
        ?? Window.lastSecond + 1
    }
  }
}
