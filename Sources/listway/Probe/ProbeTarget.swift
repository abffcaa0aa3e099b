import Gateway
import HTTPSemantics
import JSON
import Paging

/// The request that a probe makes, taken apart.
struct ProbeTarget {
  let method: Method
  /// `https://api.example.com:8443`
  let origin: String
  /// In lower case, without the port.
  let host: String
  /// Encoded; begins with a slash.
  let path: String
  /// Encoded, without the `?`; empty where there is none.
  let query: String
  let headers: [ProbeOptions.Pair]
  let form: [ProbeOptions.Pair]
  let json: String?

  /// - Throws: what is wrong with the URL.
  init(_ options: ProbeOptions) throws(CommandLineFailure) {
    let reference = URIReference(
      parsing: ["http:", "https:", "ftp:"].contains { options.url.hasPrefix($0) }
        ? options.url : "https://\(options.url)")
    guard let reference, let scheme = reference.scheme, let host = reference.host, !host.isEmpty,
      let authority = reference.authority
    else { throw CommandLineFailure(message: "\"\(options.url)\" is no URL; https://host/path is expected") }
    let name = String(decoding: scheme, as: UTF8.self).lowercased()
    guard name == "http" || name == "https" else {
      throw CommandLineFailure(message: "\"\(options.url)\" has the scheme \(name); allowed: http, https")
    }
    guard reference.userinfo == nil else {
      throw CommandLineFailure(
        message: "the URL holds credentials; send them with --header \"Authorization: ...\"")
    }
    origin = "\(name)://\(String(decoding: authority, as: UTF8.self))"
    self.host = String(decoding: host, as: UTF8.self).lowercased()
    let target = String(decoding: reference.requestTarget, as: UTF8.self)
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    query = parts.count > 1 ? String(parts[1]) : ""
    let hasContent = options.json != nil || !options.form.isEmpty
    method = options.method == "POST" || hasContent ? .post : .get
    headers = options.headers
    form = options.form
    json = options.json
  }

  var target: [UInt8] { Array((query.isEmpty ? path : "\(path)?\(query)").utf8) }

  var content: [UInt8]? {
    if let json { return Array(json.utf8) }
    guard method == .post else { return nil }
    var bytes: [UInt8] = []
    for field in form {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      PercentEncoding.encode(field.name, for: .form, into: &bytes)
      bytes.append(UInt8(ascii: "="))
      PercentEncoding.encode(field.value, for: .form, into: &bytes)
    }
    return bytes
  }

  var fields: Fields {
    var fields = Fields()
    if json != nil {
      fields.append(.contentType, "application/json")
    } else if !form.isEmpty {
      fields.append(.contentType, "application/x-www-form-urlencoded")
    }
    for header in headers {
      if let name = FieldName(validating: header.name) { fields.append(name, header.value) }
    }
    return fields
  }

  /// As recognition sees it.
  var sent: SentRequest {
    SentRequest(
      target: target, form: json == nil ? content : nil,
      json: json.flatMap { try? Parser(maximumDepth: 64).parse(Bytes(copying: Array($0.utf8))) })
  }
}
