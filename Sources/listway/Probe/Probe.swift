import Configuration
import Gateway
import HTTPSemantics
import JSON
import Paging
import YAMLReader

/// Asks an upstream once, says what its answer tells of the list and why, and prints the configuration that serves it. With
/// one further request it looks whether the second page comes as it should.
///
/// All that is said is a comment of YAML, so that what is printed is a configuration file.
struct Probe {
  private let options: ProbeOptions
  private let target: ProbeTarget
  private let parser = Parser(maximumDepth: 256)

  /// - Returns: the program's exit status: 0 where a configuration was printed that nothing speaks against.
  static func run(_ options: ProbeOptions) -> Int32 {
    do {
      return try Probe(options: options, target: ProbeTarget(options)).run()
    } catch let failure as CommandLineFailure {
      Terminal.error("listway probe: \(failure.message)")
      return ExitStatus.usage
    } catch {
      Terminal.error("listway probe: \(error)")
      return ExitStatus.failed
    }
  }

  private var timeout: Duration { .seconds(options.timeout) }
  private var url: String { target.origin + String(decoding: target.target, as: UTF8.self) }

  private func run() throws -> Int32 {
    let outcome = try Fetch.run(target.method, url, target.fields, target.content, timeout: timeout)
    switch outcome {
    case .failure(let failure):
      Terminal.error("listway probe: \(url): \(failure.kind.rawValue): \(failure.detail)")
      return ExitStatus.failed
    case .success(let response): return try report(response)
    }
  }

  private func report(_ response: TransportResponse) throws -> Int32 {
    guard (200...299).contains(response.status) else {
      Terminal.error("listway probe: \(url) answers \(response.status)\(Self.excerpt(response.body))")
      return ExitStatus.failed
    }
    say("\(target.method.name) \(url)")
    say(
      "\(response.status), \(response.body.count) bytes, \(response.fields.text(.contentType) ?? "no Content-Type")"
    )
    let recognition = Recogniser.recognise(
      body: response.body, parser: parser, status: response.status, fields: response.fields,
      request: target.sent,
      hosts: TrustedHosts(own: target.host, aliases: []), declared: .nothing)
    for observation in recognition.observations { say(observation) }
    switch recognition.verdict {
    case .list(let proposal): return try propose(proposal, response)
    case .empty:
      Terminal.error(
        "listway probe: the answer is an empty list, in which nothing shows; probe one that has items")
    case .refused(let code, let message, _):
      let words = [code.map { "code \($0)" }, message].compactMap { $0 }.joined(separator: ": ")
      Terminal.error("listway probe: the upstream refuses inside of its \(response.status): \(words)")
    case .unsure:
      Terminal.error("listway probe: not sure how this list is to be served:")
      for what in recognition.missing { Terminal.error("  \(what)") }
    }
    return ExitStatus.failed
  }

  private func propose(_ proposal: Proposal, _ response: TransportResponse) throws -> Int32 {
    let yaml = ProbeYAML(target: target, proposal: proposal, name: options.name).text
    let configuration: Configuration
    do throws(ConfigurationFaults) {
      configuration = try ConfigurationFile.load(
        text: Array(yaml.utf8), name: "what was recognised", environment: { _ in nil },
        secretFile: { _ in .unreadable("none is read") })
    } catch {
      Terminal.error("listway probe: this cannot be configured:\n\(error.description)\n\(yaml)")
      return ExitStatus.failed
    }
    let verdict = try SecondPage(
      list: configuration.lists[0], url: configuration.upstreams[0].url, parser: parser, timeout: timeout
    ).look(behind: response, asked: target.target, isWanted: options.follows)
    switch verdict {
    case .same(let how):
      Terminal.error("listway probe: \(how). What was recognised does not lead on:\n\(yaml)")
      return ExitStatus.failed
    case .seen(let how): say("confirmed: \(how)")
    case .nothingFollows: say("nothing follows this answer, so no second page could be looked at")
    case .unknown(let why): say("not confirmed: \(why)")
    }
    Terminal.print(yaml)
    if case .unknown = verdict, proposal.confidence == .likely {
      Terminal.error("listway probe: this is likely, and not confirmed")
      return ExitStatus.failed
    }
    return ExitStatus.done
  }

  // MARK: Words

  private func say(_ text: String) {
    Terminal.print("# " + text.map { $0.isNewline ? " " : String($0) }.joined())
  }

  private func say(_ observation: Observation) {
    let part = observation.part.rawValue
    let padded = part + String(repeating: " ", count: max(1, 11 - part.count))
    say("\(padded)\(observation.confidence == .likely ? "(likely) " : "")\(observation.reason)")
  }

  static func excerpt(_ body: Bytes) -> String {
    let text = String(decoding: body[0..<min(300, body.count)], as: UTF8.self)
    let line = text.split { $0.isNewline }.joined(separator: " ")
    return line.isEmpty ? "" : ": \(line)"
  }
}
