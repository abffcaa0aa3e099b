import JSON
import JSONReference

// Run by Tests/Fuzz/run. SIMDJSON_FORCE_IMPLEMENTATION=fallback tries what other machines run.

private let maximumDepth = 32

/// Any bytes as a body. What passes is walked whole, and every value must hold what it says; what fails must fail within
/// the body; and simdjson's own parser must agree, but for the numbers and half surrogate pairs that it cannot hold.
@c(LLVMFuzzerTestOneInput)
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let body = Bytes(copying: UnsafeRawBufferPointer(start: start, count: count))
  let parser = Parser(maximumDepth: maximumDepth)
  let verdict = verdict(on: body)
  do throws(Failure) {
    let document = try parser.parse(body)
    precondition(verdict != listway_reference_invalid, "simdjson refuses it")
    check(document.root, in: document, parser: parser, depth: 0)
  } catch {
    precondition(verdict != listway_reference_valid || error.kind == .tooDeep, "simdjson passes it")
    precondition((0...count).contains(error.offset) && error.line > 0 && error.column > 0)
    precondition(!error.message.contains("the index refuses"), "the scanner passes it")
  }
  // A part of a body is judged alone, whatever is around it.
  if count > 2 {
    let inner = Bytes(copying: body[1..<count - 1])
    let alone = (try? parser.parse(inner)).map { $0.range(of: $0.root) }
    let within = (try? parser.parse(body, in: 1..<count - 1)).map { $0.range(of: $0.root) }
    precondition(alone.map { $0.lowerBound + 1..<$0.upperBound + 1 } == within)
  }
  return 0
}

private func verdict(on body: Bytes) -> listway_reference_verdict {
  body.withUnsafeBytes { bytes in
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[(hasMark ? 3 : 0)...])
    return listway_reference_parse(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
  }
}

/// Every accessor on every value below `node`; a value parsed alone is the same value.
private func check(_ node: Node, in document: Document, parser: Parser, depth: Int) {
  let range = document.range(of: node)
  precondition(!range.isEmpty && range.upperBound <= document.bytes.count && depth <= maximumDepth)
  let text = document.text(of: node)
  precondition(document.withText(of: node) { Array($0) } == text.map { Array($0.utf8) })
  if let integer = document.integer(of: node), let text, !text.contains(where: { ".eE".contains($0) }) {
    precondition(Int(text) == integer)
  }
  if range.count < 200 {
    guard let alone = try? parser.parse(document.bytes, in: range) else {
      preconditionFailure("it fails alone")
    }
    precondition(alone.range(of: alone.root) == range && alone.text(of: alone.root) == text)
  }

  var children = 0
  var end = range.lowerBound
  for element in document.elements(of: node) {
    precondition(
      document.range(of: element).lowerBound > end && document.element(at: children, in: node) == element)
    end = document.range(of: element).upperBound
    children += 1
    check(element, in: document, parser: parser, depth: depth + 1)
  }
  for (key, value) in document.members(of: node) {
    precondition(key.range.lowerBound > end && document.range(of: value).lowerBound > key.range.upperBound)
    end = document.range(of: value).upperBound
    children += 1
    precondition(key == key.text && document.value(named: key.text, in: node).map { $0.hashValue } != nil)
    check(value, in: document, parser: parser, depth: depth + 1)
  }
  precondition(children == document.count(of: node) && (children == 0 || end < range.upperBound))
}
