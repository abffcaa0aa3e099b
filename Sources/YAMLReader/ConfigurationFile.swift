package import Configuration

/// The way from a configuration file to a ``Configuration``.
package enum ConfigurationFile {
  /// Reads, checks and decodes a file.
  ///
  /// - Parameters:
  ///   - text: the file's content, YAML 1.2 (so JSON too) in UTF-8.
  ///   - name: the file's name, for the errors.
  ///   - environment: gives the value of an environment variable, for `${NAME}`.
  ///   - secretFile: gives the content of the file at an absolute path, for `file:/path` and for the certificates that
  ///     are named; it is called while this runs.
  /// - Throws: everything that is wrong, in the order of the file. Where the text is no YAML, that alone.
  package static func load(
    text: [UInt8], name: String, environment: @escaping (String) -> String?,
    secretFile: @escaping (String) -> ConfigurationSources.FileContent
  ) throws(ConfigurationFaults) -> Configuration {
    let root: ConfigurationNode
    do {
      root = try NodeReader.read(text, file: name)
    } catch {
      throw ConfigurationFaults([error])
    }
    return try Configuration.decode(
      root, file: name, from: ConfigurationSources(environment: environment, file: secretFile))
  }
}
