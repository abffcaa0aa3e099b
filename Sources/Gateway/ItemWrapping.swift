/// What stands around an item of a list that is more than the upstream's own item.
struct ItemWrapping {
  let before: [UInt8]
  let after: [UInt8]

  static let none = ItemWrapping(before: [], after: [])

  var isNone: Bool { before.isEmpty }
}
