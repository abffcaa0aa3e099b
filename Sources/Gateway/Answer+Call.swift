import HTTPSemantics
import JSON
import Paging

extension Answer {
  /// A call's answer. One that was got can be asked for anew by its tag; one that was posted is done.
  static func call(_ payload: CallAnswer, for request: Request) -> Response {
    var fields = common(for: request)
    let isPosted = request.exchange.method == .post
    if let now = payload.keptAt {
      appendFreshness(of: request.work.account, upTo: .max, at: now, to: &fields)
    } else {
      // RFC 9211 §2.2: a POST is not for a cache to answer, and a call that does not say so is not for this one.
      fields.append(.cacheStatus, isPosted ? "listway; fwd=method" : "listway; fwd=bypass")
      fields.append(.cacheControl, isPosted ? "no-store" : "private, no-cache")
    }
    if !isPosted {
      let tag = ETag(digest: digest(of: payload))
      if append(tag, to: &fields, for: request) {
        return Response(status: 304, fields: fields, content: [])
      }
    }
    fields.append(.contentType, "application/json")
    return Response(status: 200, fields: fields, content: Envelope.call(payload, for: request))
  }

  static func digest(of payload: CallAnswer) -> UInt64 {
    var digest = ContentDigest()
    if let range = payload.range {
      unsafe payload.body.withUnsafeBytes { bytes in
        unsafe digest.combine(UnsafeRawBufferPointer(rebasing: bytes[range]))
      }
    }
    return digest.value
  }
}
