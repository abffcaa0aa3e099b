import EventLoop
import HTTPSemantics
import JSON
import Testing

@testable import CurlClient

@Suite("Reading a response")
struct ResponseReaderTests {
  private func take(_ line: String, into reader: inout ResponseReader) -> Bool {
    reader.takeLine(Array(line.utf8).span)
  }

  @Test("a few folded lines continue a value, thousands of them end the transfer")
  func foldedLines() {
    var reader = ResponseReader()
    reader.begin(bodyLimit: 1_000, isHeadRequest: false)
    #expect(take("HTTP/1.1 200 OK\r\n", into: &reader))
    #expect(take("A: b\r\n", into: &reader))
    for _ in 0..<64 { #expect(take(" c\r\n", into: &reader)) }
    #expect(!take(" c\r\n", into: &reader))
    #expect(reader.refusal == .headerTooLong)
  }

  private static let lengths: [(lines: [String], isTaken: Bool)] = [
    (["Content-Length: 2"], true), (["content-length:2", "X: y"], true),
    (["Content-Length: 2", "CONTENT-LENGTH: 2"], true), (["Content-Length: 2", "Content-Length: 3"], false),
    (["Content-Length: 2, 2"], false), (["Content-Length:"], false), (["Content-Length: -2"], false),
    (["Content-Length: 2", " 3"], false), (["Content-Length: 2", "\t"], false),
    (["Content-Length: 2", "no field", " 3"], false), (["Content-Length: 2", "X: y", " 3"], true),
    (["Content-Length: 2", " 3", "X: y"], false), (["X-Content-Length: a"], true),
  ]

  @Test("a length that is unclear ends the transfer, folded ones included", arguments: lengths)
  func unclearLength(_ lines: [String], isTaken: Bool) {
    var reader = ResponseReader()
    // The same after an interim response, whose fields do not count.
    for interim in [[], ["HTTP/1.1 103 Early Hints", "Content-Length: 7", " 8", ""]] {
      reader.begin(bodyLimit: 1_000, isHeadRequest: false)
      for line in interim + ["HTTP/1.1 200 OK"] + lines { #expect(take(line + "\r\n", into: &reader)) }
      #expect(take("\r\n", into: &reader) == isTaken)
      #expect(reader.refusal == (isTaken ? nil : .lengthUnclear))
      let hasWholeHead = reader.hasWholeHead
      #expect(hasWholeHead)
    }
  }

  @Test("a handle that is cleared keeps nothing of an answer that nobody was given")
  func cleared() throws {
    try Library.require()
    let loop = try EventLoop(index: 0)
    let easy = try EasyHandle(origin: .test(), sockets: Sockets(loop: loop), share: try SessionShare())
    easy.reader.pointee.begin(bodyLimit: 1_000, isHeadRequest: false)
    for line in ["HTTP/1.1 200 OK\r\n", "A: b\r\n", "\r\n"] {
      let isTaken = take(line, into: &easy.reader.pointee)
      #expect(isTaken)
    }
    let isTaken = Array("half a body".utf8).withUnsafeBytes { easy.reader.pointee.takeContent($0) }
    #expect(isTaken)
    easy.clear()
    let (fields, body) = easy.reader.pointee.finish()
    #expect(fields.isEmpty && body.count == 0)
  }

  @Test("the answer to HEAD may announce any length, and a compressed body one above the limit")
  func announcedOnly() {
    var reader = ResponseReader()
    reader.begin(bodyLimit: 10, isHeadRequest: true)
    for line in ["HTTP/1.1 200 OK", "Content-Length: 11", ""] {
      #expect(take(line + "\r\n", into: &reader))
    }
    reader.begin(bodyLimit: 10, isHeadRequest: false)
    for line in ["HTTP/1.1 200 OK", "Content-Length: 11", "Content-Encoding: gzip", ""] {
      #expect(take(line + "\r\n", into: &reader))
    }
    reader.begin(bodyLimit: 10, isHeadRequest: false)
    for line in ["HTTP/1.1 200 OK", "Content-Length: 11"] { #expect(take(line + "\r\n", into: &reader)) }
    #expect(!take("\r\n", into: &reader))
    #expect(reader.refusal == .bodyTooLong)
  }
}
