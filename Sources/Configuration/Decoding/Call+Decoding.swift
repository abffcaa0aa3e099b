internal import Access
internal import JSON
internal import Paging

extension Configuration.Call {
  static var keys: [Schema.Key] {
    [
      Schema.Key("upstream", .text(.upstream), isRequired: true, "The upstream that is asked."),
      Schema.Key("title", .text(.prose), "For the catalogue."),
      Schema.Key("description", .text(.prose), "For the catalogue."),
      Schema.Key(
        "method", .words(RequestTemplate.Method.self),
        "How clients make it: GET with the parameters in the query, or POST with them in the query, a form or JSON. "
          + "Default: the request's."),
      Schema.Key(
        "parameters", .named(.parameter, .mapping(Parameter.keys)), "What clients give, beside debug."),
      Schema.Key("request", .mapping(RequestTemplate.keys), "The request that is made of the upstream."),
      Schema.Key("answer", .mapping(answerKeys), "What clients get of the upstream's answer."),
      Schema.Key(
        "refused", .mapping(Refusal.keys),
        "How the upstream says no inside a successful answer. Default: the upstream's."),
      Schema.Key(
        "idempotent", .boolean,
        "Whether making it twice does no harm, so that it is tried again where that helps. One that a client sends "
          + "with an Idempotency-Key, which is passed on, is so in any case. Default: false."),
      Schema.Key(
        "cache", Configuration.Keeping.shape,
        "Of a call by GET: how long its answers are fresh, stale and kept, as a list's pages are. Default: nothing is kept."
      ),
    ]
  }

  private static var answerKeys: [Schema.Key] {
    [
      Schema.Key("body", .text(.pointer), "Where it is. Default: \"\", the whole answer."),
      Schema.Key(
        "absent", .words(AbsenceWord.self),
        "What it means when nothing is there, or the answer has no content: empty (null for the client) or fault. "
          + "Status 204 is empty in any case. Default: fault."),
    ]
  }

  private enum AbsenceWord: String, CaseIterable { case empty, fault }

  static func decode(all root: Section, upstreams: [Configuration.Upstream.Declared]) -> [Configuration.Call]
  {
    root.sections("calls").compactMap { entry in
      decode(entry.section, name: entry.name, node: entry.node, upstreams: upstreams)
    }
  }

  private static func decode(
    _ section: Section, name: String, node: ConfigurationNode, upstreams: [Configuration.Upstream.Declared]
  ) -> Configuration.Call? {
    let before = section.decoding.faults.count
    let declared = Configuration.List.upstream(section, upstreams)
    let upstream = declared?.upstream
    let (title, description) = (section.prose("title"), section.prose("description"))
    let table = Parameter.decode(all: section, of: .call, .nobodyInParticular)
    let request = RequestTemplate.decode(
      section.section("request"), upstream: upstream, table: table, placements: [],
      basePath: upstream?.url.path ?? "")
    if request != nil { table.reportUnused(section.path("parameters"), in: section.decoding) }
    let method = section.word("method", RequestTemplate.Method.self) ?? request?.method ?? .get
    let answer = section.section("answer")
    let body = answer.pointer("body")
    let absence = answer.word("absent", AbsenceWord.self) ?? .fault
    answer.end()
    let ownRefusal = Refusal.decode(section.section("refused"))
    let isIdempotent = section.boolean("idempotent") ?? false
    let keeping = section.has("cache") ? Configuration.Keeping.decode(section) : nil
    if keeping != nil, method == .post {
      section.fault("cache", "what is posted is done and not kept; a call that only reads has  method: GET")
    }
    section.end()
    guard section.decoding.faults.count == before, let upstream, let request,
      let whole = try? Pointer("")
    else { return nil }
    var call = Configuration.Call(
      name: name, title: title, description: description,
      upstream: upstreams.compactMap(\.upstream).firstIndex { $0.name == upstream.name } ?? 0,
      method: method, parameters: table.parameters.compactMap { $0 }, request: request, body: body ?? whole,
      allowsAbsence: absence == .empty, refusal: ownRefusal ?? declared?.refusal, isIdempotent: isIdempotent)
    call.keeping = keeping
    call.fingerprint = Fingerprint.bytes(ofCall: node)
    return call
  }
}
