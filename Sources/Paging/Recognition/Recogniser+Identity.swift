import JSON

extension Recogniser {
  /// Words that say by themselves that they tell one thing from another.
  private static let names: [String: Int] = [
    "id": 100, "uuid": 97, "guid": 97, "uid": 96, "gid": 96, "sid": 96, "iid": 94, "idstr": 93, "key": 72,
    "arn": 84, "sha": 84, "hash": 84, "number": 70, "doi": 88, "isbn": 84, "sku": 84, "url": 66, "uri": 68,
    "href": 64, "link": 60, "slug": 66, "permalink": 60,
    "name": 50, "version": 48, "code": 52, "symbol": 50, "login": 50, "username": 48, "eventname": 50,
    "channelversion": 48, "fullurl": 60, "ip": 50,
  ]
  /// What begins the name of another thing's id.
  private static let foreignStems = [
    "target", "source", "parent", "owner", "user", "author", "creator", "createdby", "updatedby", "assign",
  ]
  /// Ids of what an item belongs to or is made by.
  private static let foreign: Set<String> = [
    "userid", "authorid", "ownerid", "parentid", "channelid", "accountid", "portalid", "projectid", "orgid",
    "organizationid", "typeid", "categoryid", "creatorid", "teamid", "groupid", "chapterid", "courseid",
    "tid",
    "postid", "storeid", "companyid", "tenantid", "siteid", "appid", "regionid", "statusid", "themeid",
    "nodeid",
    "resourceid", "legacyid", "externalid", "threadid", "sessionid", "cid", "precid", "preuid", "rootid",
    "originalid", "inreplytoid", "inreplytoaccountid", "inreplytostatusid", "inreplytouserid", "clientid",
    "dataid", "oldrevid", "valid", "paid", "grid", "avoid",
  ]

  /// What tells one item from another, going by names and by the items that are here.
  mutating func chooseIdentity(_ found: FoundItems) -> (id: ItemsPlace.Identity, confidence: Confidence) {
    guard let first = found.samples.first(where: { !document.isNull($0) }) else {
      if found.shape == .map { return (.key, .certain) }
      note(.id, .certain, "there is no item to see an id in")
      return (.none, .certain)
    }
    var candidates: [(path: [String], score: Int)] = []
    switch document.kind(of: first) {
    case .string, .number: candidates = [([], 90)]
    case .array: candidates = [(["0"], 40)]
    case .object: gather(first, [], found, &candidates)
    case .bool, .null: break
    }
    if found.order != nil {
      note(.id, .certain, "each item is known by its name in \(found.pointer.text)")
      return (.key, .certain)
    }
    for candidate in candidates.sorted(by: { $0.score > $1.score }) {
      guard let pointer = Pointer(steps: candidate.path), isUnique(pointer, in: found.samples) else {
        continue
      }
      // A single item proves nothing about a name that is not an id's.
      let isSure = candidate.score >= 60
      guard isSure || found.samples.count > 1 else { continue }
      if found.shape == .map, !isSure { break }
      let place = pointer.text.isEmpty ? "the item itself" : pointer.text
      note(
        .id, isSure ? .certain : .likely,
        "\(place) is there in every item and differs from item to item (\(found.samples.count) looked at)")
      return (.at([pointer]), isSure ? .certain : .likely)
    }
    if found.shape == .map {
      note(.id, .certain, "each item is known by its name in \(found.pointer.text)")
      return (.key, .certain)
    }
    note(.id, .certain, "nothing in the items tells one from another by its name and value: none")
    return (.none, .certain)
  }

  private func gather(
    _ object: Node, _ path: [String], _ found: FoundItems, _ candidates: inout [(path: [String], score: Int)]
  ) {
    for (key, value) in document.members(of: object) {
      let name = Vocabulary.folded(key.text)
      switch document.kind(of: value) {
      case .string, .number:
        let score = path.isEmpty ? score(name, key.text, found, object) : score(name, in: path)
        if score >= 40 { candidates.append((path + [key.text], score)) }
      case .object:
        guard path.count < 2, Vocabulary.itemWrappers.contains(name) else { continue }
        gather(value, path + [key.text], found, &candidates)
      case .array:
        // A wrapper of one, as some have it.
        guard path.isEmpty, name == "data", let only = document.element(at: 0, in: value),
          document.count(of: value) == 1
        else { continue }
        gather(only, path + [key.text, "0"], found, &candidates)
      case .bool, .null: break
      }
    }
  }

  /// Of what is inside of a wrapper: only what is an id by any account.
  private func score(_ name: String, in wrapper: [String]) -> Int {
    let isAddress = ["url", "uri"].contains(name)
    let isID = ["id", "uid", "uuid", "guid"].contains(name)
    if isID { return 90 - 4 * wrapper.count }
    if isAddress { return ["attributes", "metadata"].contains(Vocabulary.folded(wrapper[0])) ? 74 : 0 }
    return name.hasSuffix("id") && !isForeign(name) ? 78 - 4 * wrapper.count : 0
  }

  private func isForeign(_ name: String) -> Bool {
    Self.foreign.contains(name) || Self.foreignStems.contains { name.hasPrefix($0) }
  }

  private func score(_ name: String, _ spelled: String, _ found: FoundItems, _ object: Node) -> Int {
    if let known = Self.names[name] { return known }
    if name == "date", ["day", "date"].contains(Self.singular(Vocabulary.folded(found.path.last ?? ""))) {
      return 46
    }
    let stem: Substring
    if name.hasSuffix("idstr") {
      stem = name.dropLast(5)
    } else if name.hasSuffix("id") || name.hasSuffix("arn") {
      stem = name.hasSuffix("id") ? name.dropLast(2) : name.dropLast(3)
      // `paid`, `valid`, `grid`: a word, not an id.
      let isWord = ["Id", "ID", "id", "arn", "Arn", "ARN"].contains { spelled.hasSuffix($0) }
      guard name.utf8.count <= 4 || isWord else { return 0 }
    } else if name == "uniquekey" {
      return 84
    } else {
      return 0
    }
    if Self.isAbout(stem, found.path.last ?? "")
      || request.path.split(separator: "/").suffix(3).contains(where: {
        Self.isAbout(stem, $0)
      })
    {
      return 92
    }
    if !isForeign(name) { return 80 }
    // Where it is the only one, it may be what the rows are of: a ranking of users.
    let ids = document.members(of: object).count { Vocabulary.folded($0.key.text).hasSuffix("id") }
    return ids == 1 ? 55 : 30
  }

  /// Whether an id's stem (`poi` of `poiId`) names what the list is of (`poiInfos`).
  private static func isAbout(_ stem: Substring, _ list: some StringProtocol) -> Bool {
    let name = singular(Vocabulary.folded(list))
    return stem.utf8.count > 2 && name.utf8.count > 2 && (name.hasPrefix(stem) || stem.hasPrefix(name))
  }

  private func isUnique(_ pointer: Pointer, in items: [Node]) -> Bool {
    var seen: Set<UInt64> = []
    for item in items where !document.isNull(item) {
      guard let node = document.node(at: pointer, from: item),
        let hash = document.fingerprint(of: node, seed: 0),
        !document.text(of: node, equals: []), document.bool(of: node) == nil, seen.insert(hash).inserted
      else { return false }
    }
    return true
  }
}
