import Compression
import CurlClient
import EventLoop
import Gateway
import HTTPSemantics
import JSON
import Synchronization
import TestSupport
import Testing

/// What is compressed here is decoded by libcurl, which is what most clients decode with that are no browsers.
@Suite("Compression", .timeLimit(.minutes(5)))
struct CompressorTests {
  private static let codings: [ContentCoding] = [.zstd, .br, .gzip]

  /// Text as answers are made of: much of it repeated, some of it random; or random bytes.
  private static func content(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
    if Bool.random(using: &random) {
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    var text: [UInt8] = []
    while text.count < count {
      let id = Int.random(in: 0..<1_000_000_000, using: &random)
      text +=
        #"{"id":\#(id),"title":"the time of the year, which is about all","amount":1.10,"read":true},"#.utf8
    }
    return Array(text.prefix(count))
  }

  private static func segments(_ content: [UInt8], _ random: inout SeededRandom) -> [Response.Segment] {
    var segments: [Response.Segment] = []
    var position = 0
    while position < content.count {
      let end = min(content.count, position + Int.random(in: 1...max(2, content.count / 2), using: &random))
      let part = Array(content[position..<end])
      let around = [1, 2] + part + [3]
      segments.append(
        Bool.random(using: &random) ? .bytes(part) : .slice(Bytes(copying: around), 2..<2 + part.count))
      position = end
    }
    return segments
  }

  private static func bytes(_ segments: [Response.Segment]) -> [UInt8] {
    segments.flatMap { segment in
      switch segment {
      case .bytes(let bytes): bytes
      case .slice(let bytes, let range): bytes[range]
      }
    }
  }

  @Test("comes back as it was, with and without a start that is not compressed", arguments: codings)
  func roundTrip(_ coding: ContentCoding) async throws {
    let answers = Mutex<[[UInt8]]>([])
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request(), let index = Int(request.target.dropFirst()) {
        let content = answers.withLock { $0[index] }
        let head =
          "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding.name)\r\nContent-Length: \(content.count)\r\n\r\n"
        connection.send(head)
        connection.send(content)
      }
    }
    defer { upstream.stop() }
    let client = try Client()
    defer { client.stop() }
    let compressor = Compressor()
    var random = SeededRandom(seed: UInt64(coding.rawValue))
    let sizes = [1, 2, 100, 1_023, 1_024, 1_025, 7_400, 65_535, 65_536, 65_537, 200_000, 1_500_000]
    for index in 0..<60 {
      let content = Self.content(sizes[index % sizes.count], &random)
      let compressed = try #require(
        compressor.compress(Self.segments(content, &random)[...], in: coding), "\(content.count)")
      for startCount in [0, 1, 300, 1_024, 5_000, 70_000] {
        let start = Self.content(startCount, &random)
        let position = answers.withLock { answers in
          answers.append(Self.bytes(compressor.join(start, compressed)))
          return answers.count - 1
        }
        let body = try await client.fetch(upstream.url("/\(position)"))
        #expect(body == start + content, "\(content.count) behind \(startCount)")
      }
    }
  }

  @Test("text takes a third of its bytes, or less", arguments: codings)
  func gain(_ coding: ContentCoding) throws {
    let text = (0..<100).flatMap { #"{"id":\#($0 * 7919),"title":"Somebody approved invoice \#($0)"},"#.utf8 }
    let compressed = try #require(Compressor().compress([.bytes(text)], in: coding))
    #expect(compressed.bytes.count < text.count / 3)
  }

  @Test("what is not to be compressed is not: nothing at all, and codings that are not made")
  func nothing() {
    let compressor = Compressor()
    for coding in ContentCoding.allCases { #expect(compressor.compress([.bytes([])], in: coding) == nil) }
    for coding in [ContentCoding.identity, .deflate] {
      #expect(compressor.compress([.bytes([1, 2, 3])], in: coding) == nil)
    }
  }
}

/// A client on a loop of its own.
private final class Client {
  private let loops: Loops
  private let loop: EventLoop
  private nonisolated(unsafe) let client: CurlClient
  private let origin = TransportOrigin(
    use: .requests, version: .http1, connectTimeout: .seconds(10), bodyLimit: 10_000_000,
    trustedCertificates: nil, clientCertificate: nil, clientKey: nil, addressAge: .seconds(60),
    connectionLimit: 4)

  init() throws {
    loops = try Loops(count: 1)
    loop = loops.all[0]
    client = try CurlClient(loop: loop)
    try loops.start()
  }

  func fetch(_ url: String) async throws -> [UInt8] {
    let request = TransportRequest(
      method: .get, url: url, fields: Fields(), content: nil, deadline: .now + .seconds(20), origin: origin)
    nonisolated(unsafe) let client = client
    return try await withCheckedThrowingContinuation { continuation in
      loop.execute {
        _ = client.start(request) { result in
          continuation.resume(with: result.map { $0.body[0..<$0.body.count] })
        }
      }
    }
  }

  func stop() {
    nonisolated(unsafe) let client = client
    loop.execute { client.shutDown() }
    loops.stopAndWait()
  }
}
