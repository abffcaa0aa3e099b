extension Configuration.Compression {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "codings", .sequence(Schema.words(Coding.self), count: 0...3),
        "Those to use, the favourite first where a client likes several the same; [] compresses nothing. Default: [zstd, br, gzip]."
      ),
      Schema.Key(
        "minimum", .size(0...1_073_741_824), "Shorter contents go out as they are. Default: 1KiB."),
    ]
  }

  static func decode(_ section: Section) -> Configuration.Compression {
    var codings: [Coding] = []
    for (coding, node, path) in section.words("codings", Coding.self) {
      if codings.contains(coding) {
        section.decoding.fault(node.mark, path, "\(coding.rawValue) is given twice")
      } else {
        codings.append(coding)
      }
    }
    let minimum = section.size("minimum")
    let hasCodings = section.has("codings")
    section.end()
    return Configuration.Compression(
      codings: hasCodings ? codings : defaults.codings, minimum: minimum ?? defaults.minimum)
  }
}
