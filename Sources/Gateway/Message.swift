/// What a person is told, in the languages that Listway speaks.
///
/// Those for the end users of an app (the upstream's failures) say what they can do about it; those for its developers
/// (bad requests) say what was found and what is allowed.
package enum Message: Sendable, Hashable {
  case ok
  // For people with a phone in their hand.
  case unreachable
  case serverFault
  case unreadableAnswer
  case serverTimeout
  case refusedWithoutReason
  case busy
  case cursorExpired
  case stopping
  case superseded
  case sessionFailed
  case notCached
  case credentialRefused
  case internalFault
  case signIn
  case signInAgain
  case notAllowed
  // For those who write the app.
  case invalidCursor
  case unknownList(String, allowed: [String])
  case unknownPath(String)
  case methodNotAllowed(String, allowed: String)
  case unknownParameter(String, allowed: [String])
  case repeatedParameter(String)
  case missingParameter(String, expected: String)
  case invalidParameter(String, found: String, expected: String)
  case malformedParameter(String)
  case malformedTarget(TargetFault)
  case malformedRequest
  case targetTooLong(Int)
  case fieldsTooLarge(Int)
  case contentTooLarge(Int)
  case unsupportedContent(String, allowed: String)
  case malformedContent(String)
  case unknownCall(String, allowed: [String])
  case unknownScreen(String, allowed: [String])
  /// The upstream's own words.
  case verbatim(String)

  package enum TargetFault: Sendable, Hashable {
    case notAPath
    case encoding
    case dotSegment
  }

  package enum Language: String, Sendable, CaseIterable { case english = "en", chinese = "zh" }

  package func text(in language: Language) -> String {
    switch language {
    case .english: english
    case .chinese: chinese
    }
  }

  private var english: String {
    switch self {
    case .ok: "ok"
    case .unreachable: "The network is not doing well. Please check it and try again."
    case .serverFault: "The server has a fault. Please try again later."
    case .unreadableAnswer: "The server gave an unexpected answer. Please try again later."
    case .serverTimeout: "The server took too long to answer. Please try again."
    case .refusedWithoutReason: "The server refused the request and gave no reason."
    case .busy: "Too many requests. Please wait a little and try again."
    case .cursorExpired: "This position in the list is too old. Please start again from the top."
    case .stopping: "The gateway is being restarted. Please go on from where this ends."
    case .credentialRefused: "The server does not accept your login. Please log in again."
    case .sessionFailed: "The gateway could not log in to the server. Please try again later."
    case .superseded: "A newer request took this one's place."
    case .notCached: "Nothing is known of this yet."
    case .internalFault: "Something went wrong in the gateway. Please try again later."
    case .signIn: "Please sign in."
    case .signInAgain: "Please sign in again."
    case .notAllowed: "You are not allowed to see this."
    case .invalidCursor:
      "cursor: not a cursor of this list with these parameters. Use `next` of an earlier answer, unchanged."
    case .unknownList(let name, let allowed):
      "There is no list \(quoted(name)). \(allowed.isEmpty ? "None is configured." : "There are: \(joined(allowed)).")"
    case .unknownPath(let path): "There is nothing at \(quoted(path)). Lists are at /v1/lists."
    case .methodNotAllowed(let method, let allowed):
      "\(quoted(method)) is not possible here. Allowed: \(allowed)."
    case .unknownParameter(let name, let allowed):
      "\(quoted(name)): unknown parameter. \(allowed.isEmpty ? "None is allowed here." : "Allowed: \(joined(allowed)).")"
    case .repeatedParameter(let name): "\(name): given more than once. It may be given once."
    case .missingParameter(let name, let expected): "\(name): missing. Required: \(expected)."
    case .invalidParameter(let name, let found, let expected):
      "\(name): found \(quoted(found)). Allowed: \(expected)."
    case .malformedParameter(let name):
      "\(quoted(name)): malformed. Names and values are UTF-8, percent-encoded, without control characters."
    case .malformedTarget(.notAPath):
      "The request target is malformed: it must be a path that begins with \"/\"."
    case .malformedTarget(.encoding): "The request target is malformed: a path is UTF-8, percent-encoded."
    case .malformedTarget(.dotSegment): "The request target is malformed: \".\" and \"..\" are not allowed."
    case .malformedRequest: "The request is malformed."
    case .targetTooLong(let limit): "The request line is too long. Allowed: \(limit) bytes."
    case .fieldsTooLarge(let limit): "The header section is too large. Allowed: \(limit) bytes."
    case .contentTooLarge(let limit): "The content is too large. Allowed: \(limit) bytes."
    case .unsupportedContent(let type, let allowed):
      "The content is \(quoted(type)), which cannot be read. Allowed: \(allowed), in UTF-8."
    case .malformedContent(let problem): "The content is not a JSON object with the parameters: \(problem)."
    case .unknownCall(let name, let allowed):
      "There is no call \(quoted(name)). \(allowed.isEmpty ? "None is configured." : "There are: \(joined(allowed)).")"
    case .unknownScreen(let name, let allowed):
      "There is no screen \(quoted(name)). \(allowed.isEmpty ? "None is configured." : "There are: \(joined(allowed)).")"
    case .verbatim(let text): text
    }
  }

  private var chinese: String {
    switch self {
    case .ok: "ok"
    case .unreachable: "网络不给力，请检查网络后重试"
    case .serverFault: "服务器故障，请稍后再试"
    case .unreadableAnswer: "服务器返回的数据异常，请稍后再试"
    case .serverTimeout: "服务器响应超时，请重试"
    case .refusedWithoutReason: "服务器拒绝了请求，未说明原因"
    case .busy: "请求过于频繁，请稍后再试"
    case .cursorExpired: "列表位置已过期，请从头开始"
    case .stopping: "网关正在重启，请从中断处继续"
    case .credentialRefused: "登录已失效，请重新登录"
    case .sessionFailed: "网关登录服务器失败，请稍后再试"
    case .superseded: "已有更新的请求，此请求已取消"
    case .notCached: "暂无已缓存的内容"
    case .internalFault: "网关内部错误，请稍后再试"
    case .signIn: "请先登录"
    case .signInAgain: "登录已失效，请重新登录"
    case .notAllowed: "没有访问权限"
    case .invalidCursor: "cursor：不是此列表（及这些参数）的游标，请原样使用之前返回的 next"
    case .unknownList(let name, let allowed):
      "没有名为 \(quoted(name)) 的列表。\(allowed.isEmpty ? "尚未配置任何列表" : "可用：\(joined(allowed))")"
    case .unknownPath(let path): "\(quoted(path)) 不存在。列表位于 /v1/lists"
    case .methodNotAllowed(let method, let allowed): "此处不支持 \(quoted(method))。可用：\(allowed)"
    case .unknownParameter(let name, let allowed):
      "\(quoted(name))：未知参数。\(allowed.isEmpty ? "此处不接受参数" : "可用：\(joined(allowed))")"
    case .repeatedParameter(let name): "\(name)：重复出现，只能给出一次"
    case .missingParameter(let name, let expected): "\(name)：缺少必填参数，要求：\(expected)"
    case .invalidParameter(let name, let found, let expected): "\(name)：值为 \(quoted(found))，要求：\(expected)"
    case .malformedParameter(let name): "\(quoted(name))：格式错误。名称和值须为百分号编码的 UTF-8，且不含控制字符"
    case .malformedTarget(.notAPath): "请求地址格式错误：须为以 \"/\" 开头的路径"
    case .malformedTarget(.encoding): "请求地址格式错误：路径须为百分号编码的 UTF-8"
    case .malformedTarget(.dotSegment): "请求地址格式错误：不允许出现 \".\" 或 \"..\""
    case .malformedRequest: "请求格式错误"
    case .targetTooLong(let limit): "请求行过长，上限 \(limit) 字节"
    case .fieldsTooLarge(let limit): "请求头过大，上限 \(limit) 字节"
    case .contentTooLarge(let limit): "请求内容过大，上限 \(limit) 字节"
    case .unsupportedContent(let type, let allowed): "不支持内容类型 \(quoted(type))。可用：\(allowed)（UTF-8）"
    case .malformedContent(let problem): "请求内容须为包含参数的 JSON 对象：\(problem)"
    case .unknownCall(let name, let allowed):
      "没有名为 \(quoted(name)) 的调用。\(allowed.isEmpty ? "尚未配置任何调用" : "可用：\(joined(allowed))")"
    case .unknownScreen(let name, let allowed):
      "没有名为 \(quoted(name)) 的页面。\(allowed.isEmpty ? "尚未配置任何页面" : "可用：\(joined(allowed))")"
    case .verbatim(let text): text
    }
  }

  /// What a peer wrote, short enough for a message.
  private func quoted(_ text: String) -> String {
    let most = 80
    return text.count > most ? "\"\(text.prefix(most))…\"" : "\"\(text)\""
  }

  private func joined(_ names: [String]) -> String {
    let most = 20
    return names.prefix(most).joined(separator: ", ") + (names.count > most ? ", …" : "")
  }
}
