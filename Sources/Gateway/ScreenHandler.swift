import Access
import Configuration
import EventLoop
import HTTPSemantics
import JSON

/// Serves screens: their sections side by side, each by who serves its list or call, those that need another's answer as
/// soon as that is there.
final class ScreenHandler {
  /// Who serves a slice or a call, wherever it is asked for.
  struct Servers {
    let list: ListHandler
    let call: CallHandler
  }

  private let loop: EventLoop
  private let servers: Servers
  private let allowsDebug: Bool
  private let parser = Parser(maximumDepth: PageSource.maximumDepth + 4)

  init(loop: EventLoop, servers: Servers, allowsDebug: Bool) {
    self.loop = loop
    self.servers = servers
    self.allowsDebug = allowsDebug
  }

  /// Begins to serve; `completion` is called on the loop, now or later, exactly once: with the sections' answers in their
  /// order, or with the failure of one that the screen cannot do without.
  ///
  /// - Throws: what is wrong with the request itself.
  func serve(
    _ request: Request, _ screen: ScreenRoute, target: Target,
    completion: @escaping (Result<[SectionAnswer], GatewayError>) -> Void
  ) throws(GatewayError) {
    var reader = ArgumentReader(screen.configuration.parameters, allowingDebug: allowsDebug)
    try reader.take(target)
    request.isDebug = reader.isDebug
    let arguments = try reader.finish()
    let own = try ownArguments(of: screen, from: arguments, by: request.principal)
    request.exchange.whenAbandoned { [work = request.work] in work.abandon() }
    let run = ScreenRun(
      request, screen, own: own, servers: servers, parser: parser, loop: loop, completion: completion)
    run.start()
  }

  /// What each section's parameters get that need no other section. Nil in a place gets its default, or comes later.
  ///
  /// - Parameter principal: who asks; what a list takes from a token comes from there.
  /// - Throws: a parameter of the screen that its list or call would not take, and a list that is not for this client.
  private func ownArguments(
    of screen: ScreenRoute, from arguments: Arguments, by principal: Principal
  ) throws(GatewayError) -> [Arguments] {
    var all: [Arguments] = []
    for (section, source) in zip(screen.configuration.sections, screen.sources) {
      // Whichever way leads there, a list is read by those alone that it is for.
      if case .list(let list) = source { try list.access.admit(principal, refusal: nil) }
      var values: [ParameterValue?] = []
      for (argument, parameter) in zip(section.arguments, source.parameters) {
        if parameter.claim != nil {
          values.append(try parameter.value(claimedBy: principal))
          continue
        }
        switch argument {
        case .none, .found: values.append(nil)
        case .value(let value): values.append(value)
        case .text(let pieces):
          values.append(try value(of: pieces, for: parameter, from: arguments, screen.configuration))
        }
      }
      all.append(Arguments(values))
    }
    return all
  }

  private func value(
    of pieces: [Template.Piece], for parameter: Parameter, from arguments: Arguments,
    _ screen: Configuration.Screen
  ) throws(GatewayError) -> ParameterValue? {
    var text: [UInt8] = []
    var last: Parameter?
    for piece in pieces {
      switch piece {
      case .text(let words): text += words.utf8
      case .parameter(let index):
        guard let value = arguments.values[index] else { return nil }
        text += value.text
        last = screen.parameters[index]
      }
    }
    if let value = parameter.value(of: text[...]) { return value }
    let name = last?.name ?? parameter.name
    throw ArgumentReader.invalid(
      name, .invalidParameter(name, found: text[...].text, expected: parameter.expectation))
  }
}
