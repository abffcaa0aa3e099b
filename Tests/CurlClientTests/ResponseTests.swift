import Gateway
import HTTPSemantics
import TestSupport
import Testing

extension CurlClientTests {
  @Suite("Responses", .timeLimit(.minutes(10)))
  struct ResponseTests {
    /// What the client makes of `bytes` in answer to one request, after which the connection is closed.
    private func outcome(
      of bytes: [UInt8], method: Method = .get, origin: TransportOrigin = .test()
    ) async throws -> Outcome {
      let upstream = try ScriptedUpstream { connection in
        guard connection.request() != nil else { return }
        connection.send(bytes)
      }
      let fixture = try Fixture()
      let outcome = await fixture.fetch(upstream.url(), method: method, origin: origin)
      fixture.stop()
      upstream.stop()
      return outcome
    }

    private func outcome(
      of text: String, method: Method = .get, origin: TransportOrigin = .test()
    ) async throws -> Outcome {
      try await outcome(of: Array(text.utf8), method: method, origin: origin)
    }

    private static let whole: [(String, status: Int, body: String)] = [
      ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello"),
      ("HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", 200, "hello"),
      ("HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, "until the end"),
      ("HTTP/1.1 200 OK\r\n\r\nuntil the end", 200, "until the end"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, ""),
      ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
      ("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nContent-Length: 99\r\n\r\n", 304, ""),
      ("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone", 404, "gone"),
      ("HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops", 500, "oops"),
      ("HTTP/1.1 599 ?\r\nContent-Length: 1\r\n\r\nx", 599, "x"),
      ("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 1\r\n\r\nx", 401, "x"),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\n\r\n", 200,
        "abcdefg"
      ),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n1\r\na\r\n0\r\nX: t\r\n\r\n", 200,
        "a"
      ),
      ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x"),
      (
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nX: early\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
          + "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x"
      ),
    ]

    @Test("a response is taken whole, however its end is marked", arguments: whole)
    func wholeResponses(text: String, status: Int, body: String) async throws {
      let outcome = try await outcome(of: text)
      #expect(outcome.kind == nil)
      #expect(outcome.status == status)
      #expect(outcome.text == body)
      #expect(!outcome.fields.contains("X"), "neither of an interim response nor a trailer")
    }

    @Test("the answer to HEAD has the fields, no body, and no limit on what it announces")
    func head() async throws {
      let outcome = try await outcome(
        of: "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\nX-Total: 7\r\n\r\n", method: .head,
        origin: .test(bodyLimit: 10))
      #expect(outcome.status == 200)
      #expect(outcome.body == [])
      #expect(outcome.fields.text("x-total") == "7")
    }

    @Test("fields arrive in order, names and values as sent, repeated ones apart, folded ones unfolded")
    func fields() async throws {
      let outcome = try await outcome(
        of: "HTTP/1.1 200 OK\r\nX-A:  1 \r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\nX-Empty:\r\n"
          + "X-Long: one\r\n  two\r\n\tthree\r\nLink: <a:b>; rel=\"next\"\r\nContent-Length: 0\r\n\r\n")
      let lines = (0..<outcome.fields.count).map { index -> String in
        let field = outcome.fields[index]
        return
          "\(String(decoding: field.name, as: UTF8.self))=\(String(decoding: field.value, as: UTF8.self))"
      }
      #expect(
        lines == [
          "X-A=1", "set-cookie=a=1", "Set-Cookie=b=2", "X-Empty=", "X-Long=one  two three",
          "Link=<a:b>; rel=\"next\"", "Content-Length=0",
        ])
    }

    @Test("a body that arrives byte by byte, or in pieces of any size, is the same body")
    func pieces() async throws {
      var random = SeededRandom(seed: 7)
      let body = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"
      let upstream = try ScriptedUpstream { connection in
        guard connection.request() != nil else { return }
        connection.drip(head, every: .zero)
        var position = 0
        while position < body.count {
          let count = min(1 << (position % 17), body.count - position)
          connection.send(Array(body[position..<position + count]))
          position += count
        }
      }
      let fixture = try Fixture()
      let outcome = await fixture.fetch(upstream.url())
      fixture.stop()
      upstream.stop()
      let isSame = outcome.body == body
      #expect(isSame)
    }

    private static let plain = String(repeating: "{\"id\":1,\"name\":\"ünïcödé\"},", count: 400)

    // What gzip, brotli, zstd and zlib make of `plain`.
    private static let gzip = """
      1f8b0800000000000203edc9a11180301000b05d5ed760bb0d471108ba408f8150b82adc2fc616a8c466c4d1a22e25fa7aee5123\
      df9ecf96b3e51d5719d65a6badb5d65a6badb5d65a6badb5d65a6badb5d65a6badb5d65a6bed2ffb01ff2542aee02e0000
      """
    private static let gzipTwice = """
      1f8b080000000000020393efe660000126e6b727170a361808306c888dbb9eb09bd75d906397437f63c00ead3bfac7c4561c493b\
      7271919eeaafaa7781caf7e79d9fb6f9a96cb8e4b5a8ecb55b71106ff57f33fe57755af7408f8101006abf536c65000000
      """
    private static let zlib = """
      78daedc9a11180301000b05d5ed760bb0d471108ba408f8150b82adc2fc616a8c466c4d1a22e25fa7aee5123df9ecf96b3e51d57\
      19d65a6badb5d65a6badb5d65a6badb5d65a6badb5d65a6badb5d65a6bed2ffb014b111bbe
      """
    private static let brotli =
      "1fdf2ef82d1278f36a09cc2f231d72a038e292cc6daf455862c676eaab2daf1cee4b0b9dd2e5c16ac10a17cbf39900e0788103"
    private static let zstd =
      "28b52ffd0468350100f07b226964223a312c226e616d65223a22c3bc6ec3af63c3b664c3a9227d2c0100febac02b2797281b52"

    @Test(
      "a compressed body is decoded, in every coding that was offered",
      arguments: [
        ("gzip", gzip), ("x-gzip", gzip), ("GZIP", gzip), ("gzip, gzip", gzipTwice), ("br", brotli),
        ("zstd", zstd),
        ("deflate", zlib), ("identity", nil),
      ])
    func codings(coding: String, hex: String?) async throws {
      let coded = hex.map(Self.bytes) ?? Array(Self.plain.utf8)
      let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(coded.count)\r\n\r\n"
      let outcome = try await outcome(of: Array(head.utf8) + coded)
      #expect(outcome.kind == nil)
      #expect(outcome.text == Self.plain)
    }

    private static func bytes(_ hex: String) -> [UInt8] {
      let digits = Array(hex)
      return stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(digits[$0...$0 + 1]), radix: 16)
      }
    }

    @Test("a body of exactly the limit is taken, and one byte more is too large, however its length is told")
    func limit() async throws {
      for excess in [0, 1] {
        let body = String(repeating: "x", count: 1_000 + excess)
        for text in [
          "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
          "HTTP/1.1 200 OK\r\n\r\n\(body)",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n",
        ] {
          let outcome = try await outcome(of: text, origin: .test(bodyLimit: 1_000))
          #expect(outcome.kind == (excess == 0 ? nil : .tooLarge))
          #expect(outcome.body.count == (excess == 0 ? 1_000 : 0))
        }
      }
    }

    @Test("a body that is announced too long is refused before it is sent")
    func announcedTooLong() async throws {
      let upstream = try ScriptedUpstream { connection in
        guard connection.request() != nil else { return }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n")
        connection.hold()
      }
      let fixture = try Fixture()
      let outcome = await fixture.fetch(upstream.url())
      #expect(outcome.kind == .tooLarge)
      #expect(outcome.detail.contains("8388608"))
      fixture.stop()
      upstream.stop()
    }

    @Test("an endless body ends at the limit")
    func endless() async throws {
      let upstream = try ScriptedUpstream { connection in
        guard connection.request() != nil else { return }
        connection.send("HTTP/1.1 200 OK\r\n\r\n")
        let piece = [UInt8](repeating: 120, count: 65_536)
        while connection.send(piece) {}
      }
      let fixture = try Fixture()
      let outcome = await fixture.fetch(upstream.url())
      #expect(outcome.kind == .tooLarge)
      fixture.stop()
      upstream.stop()
    }

    @Test("a decompression bomb is too large, and is not decompressed beyond the limit")
    func bomb() async throws {
      let folder = try TemporaryFolder()
      // 10 GB of zeros: 10 MB, and 28 kB when compressed again.
      try Child.shell(
        "head -c 100000000 /dev/zero | gzip -9 > '\(folder.path)/part'; for i in 1 2 3 4 5 6 7 8 9 10; do "
          + "cat '\(folder.path)/part'; done | gzip -9 > '\(folder.path)/bomb'")
      let bomb = try folder.read("bomb")
      #expect(bomb.count < 100_000)
      let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"
      let outcome = try await outcome(of: Array(head.utf8) + bomb)
      #expect(outcome.kind == .tooLarge)
      #expect(outcome.elapsed < .seconds(5))
    }

    @Test("a header section without end is a fault, not a way to fill the memory")
    func endlessHeader() async throws {
      for line in ["X-Filler: \(String(repeating: "x", count: 1_000))\r\n", "a:\r\n"] {
        let upstream = try ScriptedUpstream { connection in
          guard connection.request() != nil else { return }
          connection.send("HTTP/1.1 200 OK\r\n")
          let lines = Array(String(repeating: line, count: 64).utf8)
          while connection.send(lines) {}
        }
        let fixture = try Fixture()
        let outcome = await fixture.fetch(upstream.url())
        #expect(outcome.kind == .protocol)
        #expect(outcome.detail == "the header section is too long")
        fixture.stop()
        upstream.stop()
      }
    }

    private static let malformed: [String] = [
      "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}\u{3}garbage\r\n\r\n", "HTTP/1.1 OK\r\n\r\n",
      "HTTP/9.9 200 OK\r\n\r\n",
      "<html><body>no HTTP at all</body></html>",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Encoding: snappy\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 0\r\n\r\n",
    ]

    @Test("what is no HTTP, or cannot be decoded, is a protocol failure", arguments: malformed)
    func malformedResponses(text: String) async throws {
      let outcome = try await outcome(of: text)
      #expect(outcome.kind == .protocol)
      #expect(!outcome.detail.isEmpty)
    }
  }
}
