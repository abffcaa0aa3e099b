import Configuration
import JSON

extension Request {
  /// What the request is for, as an envelope's header names it: `"list":"notices"`. Nothing where that is unknown.
  func writeSubject(into writer: inout Writer) {
    if let list { writer.member("list", list.name) }
    if let call { writer.member("call", call.configuration.name) }
    if let screen { writer.member("screen", screen.configuration.name) }
    section?.write(into: &writer)
  }

  /// The upstream that it is for, if it is for one.
  var upstreamName: String? { list?.upstreamName ?? call?.source.upstreamName }

  /// Whether upstreams are asked for it.
  var isForUpstreams: Bool { list != nil || call != nil || screen != nil }
}
