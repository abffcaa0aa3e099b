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
}
