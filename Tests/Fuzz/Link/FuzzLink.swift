import HTTPSemantics

// Run by Tests/Fuzz/run.

/// Any bytes as a Link field: it is read to its end, and what it leads to is resolved into a request target that can end
/// no line and stays under the base's path rules.
@c(LLVMFuzzerTestOneInput)
public func fuzzLink(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let base = URIReference(parsing: "https://api.example.com/v2/items?page=1") else { return 0 }
  for link in LinkField.parse(bytes.span) {
    precondition(link.target.count <= bytes.count)
    precondition(link.relations.allSatisfy { !$0.isEmpty })
    guard let reference = URIReference(parsing: link.target.span) else { continue }
    let resolved = reference.resolved(against: base)
    let target = resolved.requestTarget
    precondition(target.first == UInt8(ascii: "/"))
    precondition(target.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    precondition(resolved.host != nil || reference.scheme != nil || reference.authority != nil)
  }
  return 0
}
