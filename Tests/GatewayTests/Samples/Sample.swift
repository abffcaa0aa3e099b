import Foundation
import Testing

/// A recorded answer of a real list API, as the index beside the recordings describes it.
///
/// The recordings are kept beside the project, not in it. Locators are JSON Pointers, `header:NAME`,
/// `header:Link#RELATION`, or XPaths for answers in XML.
struct Sample: Decodable, Sendable, CustomTestStringConvertible {
  struct Request: Decodable, Sendable {
    var method: String
    var url: String
    var body: String?
  }
  struct Response: Decodable, Sendable {
    var status: Int
    var headers: [String: String]
  }
  struct Expected: Decodable, Sendable {
    /// `ok`, `empty`, `business-error` or `transport-error`.
    var outcome: String
    var morePages: Bool?
    var message: String?
  }
  struct Join: Decodable, Sendable {
    var ids: String
    var map: String
  }

  var file: String
  var request: Request
  var response: Response
  var format: String
  var items: String?
  var itemsKind: String?
  var itemId: String?
  var itemsJoin: Join?
  var itemEncoding: String?
  var itemIdInContent: String?
  var trailerLines: Int?
  var count: Int?
  var total: String?
  var pageCount: String?
  var page: String?
  var hasMore: String?
  var next: String?
  var nextSelector: String?
  var pagingClass: String
  var charset: String?
  var expected: Expected

  /// The folder: one an API.
  var api: String { String(file.prefix { $0 != "/" }) }
  var testDescription: String { file }
  var isList: Bool { expected.outcome == "ok" || expected.outcome == "empty" }
  /// Listway reads JSON. What an XML API answers is no list to it, whatever it says.
  var isXML: Bool { format.hasPrefix("xml") }
}

/// `../shared/samples` beside the checkout.
enum Samples {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/samples")
  private static let index = folder.appendingPathComponent("index.json")

  static let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("README.md")

  static let areThere = FileManager.default.fileExists(atPath: index.path)

  static func all() throws -> [Sample] {
    struct Index: Decodable { var files: [Sample] }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Index.self, from: Data(contentsOf: index)).files
  }

  static func body(of sample: Sample) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(sample.file)))
  }
}
