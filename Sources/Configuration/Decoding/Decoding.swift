/// One decoding of one file: what it draws on, and what it has found wrong so far.
///
/// Decoders return nil for what they could not read and go on, so that all faults are shown together.
final class Decoding {
  let file: String
  let sources: ConfigurationSources
  private(set) var faults: [ConfigurationFault] = []
  /// What lists fall back on; read before them.
  var access = Configuration.AccessRules.defaults

  init(file: String, sources: ConfigurationSources) {
    self.file = file
    self.sources = sources
  }

  func fault(_ mark: Mark, _ path: String, _ message: String) {
    faults.append(
      ConfigurationFault(file: file, mark: mark, message: path.isEmpty ? message : "\(path): \(message)"))
  }

  /// The text of a scalar with everything put in, or nil and a fault. Nothing at all is a fault too.
  func resolve(_ node: ConfigurationNode, _ path: String, expected: String, files: Bool = true)
    -> ResolvedText?
  {
    guard case .scalar(let scalar) = node.content, !scalar.isNull else {
      fault(node.mark, path, "\(node.shown) is given; \(expected) is expected")
      return nil
    }
    do {
      let text = try ResolvedText.resolve(scalar, at: node.mark, files: files, from: sources)
      return text
    } catch {
      fault(node.mark, path, error.message)
      return nil
    }
  }
}

extension ConfigurationNode {
  /// How an error names what was found.
  var shown: String {
    switch content {
    case .mapping: "a mapping"
    case .sequence: "a list"
    case .scalar(let scalar): scalar.isNull ? "nothing" : Quoted(scalar.text).description
    }
  }
}

/// The end of an error: the word that was probably meant.
func suggestion(_ word: String?) -> String { word.map { "; did you mean \($0)?" } ?? "" }
