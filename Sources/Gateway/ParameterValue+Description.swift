import Configuration

extension ParameterValue {
  /// The value as its client wrote it.
  var description: String { String(decoding: text, as: UTF8.self) }
}
