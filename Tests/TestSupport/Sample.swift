package import Foundation

/// A recorded answer of a real list API, as the index beside the recordings describes it.
///
/// The recordings are kept beside the project, not in it. Locators are JSON Pointers, `header:NAME`,
/// `header:Link#RELATION`, or XPaths for answers in XML.
package struct Sample: Decodable, Sendable {
  package struct Request: Decodable, Sendable {
    package var method: String
    package var url: String
    package var body: String?
  }
  package struct Response: Decodable, Sendable {
    package var status: Int
    package var headers: [String: String]
  }
  package struct Expected: Decodable, Sendable {
    /// `ok`, `empty`, `business-error` or `transport-error`.
    package var outcome: String
    package var morePages: Bool?
    package var message: String?
  }
  package struct Join: Decodable, Sendable {
    package var ids: String
    package var map: String
  }

  package var file: String
  package var request: Request
  package var response: Response
  package var format: String
  package var items: String?
  package var itemsKind: String?
  package var itemId: String?
  package var itemsJoin: Join?
  package var itemEncoding: String?
  package var itemIdInContent: String?
  package var trailerLines: Int?
  package var count: Int?
  package var total: String?
  package var pageCount: String?
  package var page: String?
  package var hasMore: String?
  package var next: String?
  package var nextSelector: String?
  package var pagingClass: String
  package var charset: String?
  package var expected: Expected

  /// The folder: one an API.
  package var api: String { String(file.prefix { $0 != "/" }) }
  package var isList: Bool { expected.outcome == "ok" || expected.outcome == "empty" }
  /// Listway reads JSON. What an XML API answers is no list to it, whatever it says.
  package var isXML: Bool { format.hasPrefix("xml") }
}

/// `../shared/samples` beside the checkout.
package enum Samples {
  package static let folder = checkout.deletingLastPathComponent().appendingPathComponent("shared/samples")
  private static let index = folder.appendingPathComponent("index.json")

  package static let readme = checkout.appendingPathComponent("README.md")
  private static let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  package static let areThere = FileManager.default.fileExists(atPath: index.path)

  package static func all() throws -> [Sample] {
    struct Index: Decodable { var files: [Sample] }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Index.self, from: Data(contentsOf: index)).files
  }

  package static func body(of sample: Sample) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(sample.file)))
  }
}
