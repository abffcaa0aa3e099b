import Configuration

/// Writes the JSON Schema (2020-12) of a configuration file from the tables that the decoder reads by.
enum SchemaWriter {
  static var text: String {
    let root = object(Configuration.keys)
    let head: [(String, SchemaJSON)] = [
      ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
      ("title", .text("Listway configuration")),
      (
        "description",
        .text("What a Listway gateway serves and how. listway.yaml beside this file explains every key.")
      ),
    ]
    let outside: SchemaJSON = .object([
      (
        "description",
        .text("${NAME} and ${NAME:-default} come from the environment, file:/path from a file.")
      ),
      ("type", .text("string")), ("pattern", .text(outsidePattern)),
    ])
    return SchemaJSON.object(head + root + [("$defs", .object([("outside", outside)]))]).written() + "\n"
  }

  private static let outsidePattern = #"\$\{|^file:/"#
  private static let outside: SchemaJSON = .object([("$ref", .text("#/$defs/outside"))])

  private static func object(_ keys: [Schema.Key]) -> [(String, SchemaJSON)] {
    let required = keys.filter(\.isRequired).map(\.name)
    return [
      ("type", required.isEmpty ? .texts(["object", "null"]) : .text("object")),
      ("additionalProperties", .boolean(false)),
    ] + (required.isEmpty ? [] : [("required", .texts(required))])
      + [("properties", .object(keys.map { ($0.name, schema($0)) }))]
  }

  private static func schema(_ key: Schema.Key) -> SchemaJSON {
    .object(
      (key.about.isEmpty ? [] : [("description", .text(key.about))]) + constraints(key.shape, key.isRequired))
  }

  private static func constraints(_ shape: Schema, _ isRequired: Bool = false) -> [(String, SchemaJSON)] {
    switch shape {
    case .boolean: return either([.object([("type", .text("boolean"))]), outside])
    case .integer(let range):
      return either([
        .object([
          ("type", .text("integer")), ("minimum", .number(range.lowerBound)),
          ("maximum", .number(range.upperBound)),
        ]), outside,
      ])
    case .number(let range):
      return either([
        .object([
          ("type", .text("number")), ("minimum", .number("\(range.lowerBound)")),
          ("maximum", .number("\(range.upperBound)")),
        ]), outside,
      ])
    case .duration: return text(pattern: "^(0|[1-9][0-9]*)(ms|s|m|h|d)$")
    case .size: return text(pattern: "^(0|[1-9][0-9]*)(B|kB|MB|GB|KiB|MiB|GiB)$")
    case .word(let words):
      let spellings = words.flatMap { word in
        Double(word) == nil ? [SchemaJSON.text(word)] : [.text(word), .number(word)]
      }
      return either([.object([("enum", .array(spellings))]), outside])
    case .text(let kind): return text(kind)
    case .scalar: return [("type", .texts(["string", "number", "boolean", "null"]))]
    case .json: return []
    case .sequence(let element, let count):
      return [
        ("type", .text("array")), ("minItems", .number(count.lowerBound)),
        ("maxItems", .number(count.upperBound)),
        ("items", .object(constraints(element))),
      ]
    case .mapping(let keys): return object(keys)
    case .variants(let key, let about, let variants):
      return [
        ("type", .text("object")), ("required", .texts([key])),
        (
          "oneOf",
          .array(
            variants.map { variant in
              let choice: SchemaJSON = .object([
                ("description", .text(about)), ("const", .text(variant.word)),
              ])
              let required = variant.keys.filter(\.isRequired).map(\.name)
              return .object([
                ("title", .text(variant.word)), ("additionalProperties", .boolean(false)),
                ("required", .texts([key] + required)),
                ("properties", .object([(key, choice)] + variant.keys.map { ($0.name, schema($0)) })),
              ])
            })
        ),
      ]
    case .named(let kind, let shape):
      return [
        ("type", isRequired ? .text("object") : .texts(["object", "null"]))
      ] + (isRequired ? [("minProperties", .number(1))] : []) + [
        ("propertyNames", .object([("pattern", .text(pattern(kind)))])),
        ("additionalProperties", .object(constraints(shape))),
      ]
    case .open(let keys, let kind, let shape):
      return [
        ("type", .text("object")),
        ("propertyNames", .object([("pattern", .text(pattern(kind)))])),
        ("additionalProperties", .object(constraints(shape))),
        ("properties", .object(keys.map { ($0.name, schema($0)) })),
      ]
    case .either(let shapes): return either(shapes.map { .object(constraints($0)) })
    }
  }

  private static func either(_ choices: [SchemaJSON]) -> [(String, SchemaJSON)] {
    [("anyOf", .array(choices))]
  }

  private static func text(pattern: String) -> [(String, SchemaJSON)] {
    [("type", .text("string")), ("pattern", .text("\(pattern)|\(outsidePattern)"))]
  }

  private static func text(_ kind: Schema.TextKind) -> [(String, SchemaJSON)] {
    switch kind {
    case .prose, .template, .field, .upstream, .list, .secret:
      [("type", .texts(["string", "number", "boolean"]))]
    case .day: text(pattern: #"^([0-9]{4}-[0-9]{2}-[0-9]{2}|\{[A-Za-z_][A-Za-z0-9_-]*\})$"#)
    case .timeForm: text(pattern: "^(seconds|milliseconds|.*YYYY.*)$")
    case .digest: text(pattern: "^[0-9A-Fa-f]{64}$")
    case .zone: text(pattern: "^(Z|[+-][0-9]{2}:[0-9]{2})$")
    case .address: [("type", .text("string"))]
    case .url: text(pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@]+[^?#@]*$")
    case .absolutePath: text(pattern: "^/")
    case .pathTemplate: text(pattern: "^(/[^?#]*)?$")
    case .pointer: text(pattern: "^(/.*)?$|^(key|none)$")
    case .charset: text(pattern: "^[A-Za-z0-9_.:+()-]{1,64}$")
    case .locator: text(pattern: #"^(/.*)?$|^(header|link|item):."#)
    }
  }

  private static func pattern(_ kind: Schema.NameKind) -> String {
    switch kind {
    case .entity: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
    case .parameter: "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"
    case .field, .claim: "^.{1,256}$"
    case .header: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$"
    }
  }
}
