import Configuration
import HTTPSemantics
import JSON
import Paging

/// Has known pages forgotten: of all lists, of one list, or of one list with certain arguments.
final class PurgeHandler {
  private let lists: [ListRoute]
  private let pages: KnownPages

  init(lists: [ListRoute], pages: KnownPages) {
    self.lists = lists
    self.pages = pages
  }

  /// - Parameter target: `list` names the list, the other parameters are that list's.
  /// - Returns: how many pages were forgotten.
  /// - Throws: what is wrong with the target.
  func purge(_ target: Target) throws(GatewayError) -> Int {
    var name: ArraySlice<UInt8>?
    var hasOthers = false
    for index in 0..<target.parameterCount {
      let parameter = target.parameter(index)
      guard parameter.name.equals("list") else {
        hasOthers = true
        continue
      }
      if name != nil { throw GatewayError.invalidParameter("list", .repeatedParameter("list")) }
      name = parameter.value
    }
    guard let name else {
      if hasOthers {
        throw GatewayError.invalidParameter("list", .missingParameter("list", expected: "the name of a list"))
      }
      lists.first?.source.store?.purge(.all)
      return pages.purge(list: nil, seriesBeginning: nil)
    }
    guard let index = lists.firstIndex(where: { name.equals(text: $0.configuration.name) }) else {
      throw GatewayError(
        .notFound, .unknownList(name.text, allowed: lists.map(\.configuration.name)), detail: "unknown list")
    }
    var series: [UInt8]?
    if hasOthers {
      let arguments = try ListRequest.arguments(target, of: lists[index].configuration, leavingOut: "list")
      var bytes: [UInt8] = []
      arguments.appendKey(to: &bytes)
      series = bytes
    }
    if let store = lists[index].source.store {
      store.purge(
        series.map { .series(list: store.keys.list, store.keys.series($0)) } ?? .list(store.keys.list))
    }
    return pages.purge(list: UInt32(index), seriesBeginning: series)
  }
}

extension Envelope {
  /// That so many pages were forgotten.
  static func purged(_ count: Int, for request: Request) -> [UInt8] {
    var writer = Writer(reserving: 128)
    writer.beginObject()
    writer.member("status", 0)
    writer.key("header")
    writer.beginObject()
    writer.member("count", count)
    writer.member("requestId", request.id)
    writer.key("warnings")
    writer.beginArray()
    writer.endArray()
    writer.endObject()
    writer.key("body")
    writer.null()
    writer.member("message", "ok")
    writer.endObject()
    return writer.finish()
  }
}
