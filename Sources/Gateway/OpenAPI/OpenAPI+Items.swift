import Configuration
import JSON

extension OpenAPI {
  /// The schema of a list's slice: any items, or what is known of what stands around them.
  func writeSliceSchema(of list: any Configuration.ListOffer, into writer: inout Writer) {
    guard let wrapping = wrapping(of: list) else { return writer.reference("schemas/Slice") }
    writer.object {
      $0.array("allOf") {
        $0.reference("schemas/Slice")
        $0.object {
          $0.object("properties") { $0.object("body") { $0.object("items") { wrapping(&$0) } } }
        }
      }
    }
  }

  /// What is said of the items of a list that are more than the upstream's own; nil where they are these.
  private func wrapping(of list: any Configuration.ListOffer) -> ((inout Writer) -> Void)? {
    if let merged = list as? Configuration.MergedList {
      let sources = merged.leaves.compactMap(\.tags.first)
      // Where merged lists of merged lists say it of some items only, it is said of none.
      guard sources.count == merged.leaves.count else { return nil }
      return { writer in
        writer.object(requiring: ["source", "item"]) {
          $0.object("source") {
            $0.member("description", "The list that it came from.")
            $0.strings("enum", Array(Set(sources)).sorted())
          }
          $0.object("item") { $0.member("description", "The item, as the upstream wrote it.") }
        }
      }
    }
    guard let enrichment = (list as? Configuration.List)?.enrichment else { return nil }
    return { writer in
      writer.object(requiring: ["item", enrichment.name]) {
        $0.object("item") { $0.member("description", "The item, as the upstream wrote it.") }
        $0.object(named: enrichment.name) {
          $0.member("description", "What belongs to it; null where there is none.")
        }
      }
    }
  }
}
