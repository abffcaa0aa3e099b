internal import CYAML

/// What libyaml reports of a file, as values.
///
/// - SeeAlso: YAML 1.2 §3.1.1 (serialization events); yaml.h, `yaml_event_type_t`
enum Event: Equatable {
  case streamStart, streamEnd, documentStart, documentEnd
  case alias(String)
  case scalar(text: String, isPlain: Bool, Properties)
  case sequenceStart(Properties)
  case mappingStart(Properties)
  case sequenceEnd, mappingEnd

  /// What may stand before a node: `&anchor` and `!tag`.
  struct Properties: Equatable {
    let anchor: String?
    let tag: String?
  }

  init(_ event: yaml_event_t) {
    switch unsafe event.type {
    case YAML_STREAM_START_EVENT: self = .streamStart
    case YAML_DOCUMENT_START_EVENT: self = .documentStart
    case YAML_DOCUMENT_END_EVENT: self = .documentEnd
    case YAML_ALIAS_EVENT: self = unsafe .alias(Self.text(event.data.alias.anchor) ?? "")
    case YAML_SCALAR_EVENT:
      let scalar = unsafe event.data.scalar
      let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      self = unsafe .scalar(
        text: String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE,
        Properties(anchor: Self.text(scalar.anchor), tag: Self.text(scalar.tag)))
    case YAML_SEQUENCE_START_EVENT:
      let start = unsafe event.data.sequence_start
      self = unsafe .sequenceStart(Properties(anchor: Self.text(start.anchor), tag: Self.text(start.tag)))
    case YAML_MAPPING_START_EVENT:
      let start = unsafe event.data.mapping_start
      self = unsafe .mappingStart(Properties(anchor: Self.text(start.anchor), tag: Self.text(start.tag)))
    case YAML_SEQUENCE_END_EVENT: self = .sequenceEnd
    case YAML_MAPPING_END_EVENT: self = .mappingEnd
    default: self = .streamEnd
    }
  }

  private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe String(decodingCString: pointer, as: UTF8.self)
  }
}
