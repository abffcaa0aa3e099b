import HTTPSemantics
import TestSupport
import Testing

@testable import Telemetry

private let standardExample = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

private func context(_ traceparent: String, _ tracestate: String? = nil) -> TraceContext? {
  var fields = Fields()
  fields.append(.traceparent, traceparent)
  if let tracestate { fields.append(.tracestate, tracestate) }
  return TraceContext(fields)
}

private func traceparent(_ context: TraceContext) -> String {
  var bytes: [UInt8] = []
  context.appendTraceparent(to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}

@Suite("TraceContext")
struct TraceContextTests {
  @Test("reads the example of the standard, and writes it back")
  func example() throws {
    let parsed = try #require(context(standardExample))
    #expect(parsed.traceID == (0x4bf9_2f35_77b3_4da6, 0xa3ce_929d_0e0e_4736))
    #expect(parsed.parentID == 0x00f0_67aa_0ba9_02b7)
    #expect(parsed.flags == .sampled)
    #expect(traceparent(parsed) == standardExample)
    var id: [UInt8] = []
    parsed.appendTraceID(to: &id)
    #expect(String(decoding: id, as: UTF8.self) == "4bf92f3577b34da6a3ce929d0e0e4736")
  }

  @Test("goes on with the trace under a span of its own")
  func continued() throws {
    let parsed = try #require(context(standardExample, "a=1, b=2"))
    let next = parsed.continued(spanBits: 0xABC)
    #expect(traceparent(next) == "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000abc-01")
    #expect(next.state?.bytes == Array("a=1,b=2".utf8))
    #expect(parsed.continued(spanBits: 0).parentID == 1)
  }

  @Test(
    "reads later versions as far as it knows them",
    arguments: [
      ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
      ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff-what-comes", true),
      ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.what-comes", false),
      ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-", false),
      ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra", false),
    ])
  func versions(text: String, isValid: Bool) {
    #expect((context(text) != nil) == isValid)
    if isValid { #expect(context(text).map(traceparent)?.hasPrefix("00-") == true) }
  }

  @Test("keeps only the flags it knows")
  func flags() throws {
    let parsed = try #require(context("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fe"))
    #expect(parsed.flags == .random)
  }

  @Test(
    "refuses what is not valid",
    arguments: [
      "", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
      "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
      "0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "xx-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ])
  func refused(text: String) {
    #expect(context(text) == nil)
  }

  @Test("takes part in no trace that is given twice")
  func twice() {
    var fields = Fields()
    fields.append(.traceparent, standardExample)
    fields.append(.traceparent, standardExample)
    #expect(TraceContext(fields) == nil)
  }

  @Test(
    "starts a trace that others can read, whatever the chance",
    arguments: [(0, 0, 0), (1, 2, 3), (.max, .max, .max)] as [(UInt64, UInt64, UInt64)])
  func starting(high: UInt64, low: UInt64, span: UInt64) {
    let started = TraceContext.starting(traceBits: (high, low), spanBits: span, isSampled: true)
    #expect(context(traceparent(started)) == started)
    #expect(started.flags.contains(.sampled))
  }

  @Test("takes any bytes without a crash, and reads back what it takes")
  func anyBytes() {
    var random = SeededRandom(seed: 12)
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = Array(standardExample.utf8)
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0x20...0x7F, using: &random)
      }
      let part = bytes.prefix(Int.random(in: 40...80, using: &random))
      guard let context = TraceContext(parsing: part.span, state: nil) else { continue }
      accepted += 1
      #expect(standardExample.utf8.count == traceparent(context).utf8.count)
    }
    #expect(accepted > 100)
  }
}

@Suite("TraceState")
struct TraceStateTests {
  private func state(_ text: String) -> String? {
    TraceState(text.utf8Span.span).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test(
    "passes members on as they are, without the white space between them",
    arguments: [
      ("congo=t61rcWkgMzE", "congo=t61rcWkgMzE"), ("a=1 ,\tb=2", "a=1,b=2"), ("a=1,,b=x y ,", "a=1,b=x y"),
      ("tenant@vendor=v=w", "tenant@vendor=v=w"),
    ])
  func passes(text: String, expected: String) {
    #expect(state(text) == expected)
  }

  @Test(
    "drops the whole of what is malformed",
    arguments: ["", ",", "a", "=1", "a=", "a=1,b", "a=é", "a=1\u{7F}", "a=\u{1}"])
  func refused(text: String) {
    #expect(state(text) == nil)
  }

  @Test("keeps within bounds by whole members, long ones first")
  func bounded() throws {
    let many = (0..<33).map { "k\($0)=v" }.joined(separator: ",")
    #expect(state(many) == nil)
    let long = "long=" + String(repeating: "x", count: 150)
    let short = (0..<10).map { "k\($0)=" + String(repeating: "y", count: 40) }
    let kept = try #require(state(([long] + short).joined(separator: ",")))
    #expect(kept == short.joined(separator: ","))
    let cut = try #require(
      state((0..<20).map { "k\($0)=" + String(repeating: "y", count: 40) }.joined(separator: ",")))
    #expect(cut.utf8.count <= TraceState.maximumByteCount)
    #expect(cut.hasPrefix("k0="))
    #expect(!cut.contains("k19="))
    #expect(state("a=" + String(repeating: "x", count: 600)) == nil)
  }
}
