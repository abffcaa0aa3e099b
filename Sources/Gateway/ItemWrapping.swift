/// What stands around an item of a list that is more than the upstream's own item.
struct ItemWrapping {
  let before: [UInt8]
  let after: [UInt8]

  static let none = ItemWrapping(before: [], after: [])

  var isNone: Bool { before.isEmpty }

  /// This around another.
  func around(_ inner: ItemWrapping) -> ItemWrapping {
    if isNone { return inner }
    return ItemWrapping(before: before + inner.before, after: inner.after + after)
  }
}
