public import Foundation

/// A JSON value as it was written: integers of any size, `1.10`, key order and escapes come through as they were.
public struct RawJSON: Sendable, Hashable, CustomStringConvertible {
  /// UTF-8.
  public let data: Data

  /// - Parameter data: one JSON value; it is not looked at.
  public init(_ data: Data) { self.data = data }

  /// - Parameter value: what the JSON is made of.
  /// - Throws: what the encoder says.
  public init(encoding value: some Encodable) throws { data = try JSONEncoder().encode(value) }

  public var description: String { String(decoding: data, as: UTF8.self) }

  /// Decimals come exactly into a `Decimal`, and integers into any integer that has room for them; a `Double` rounds.
  public func decoded<Value: Decodable>(as type: Value.Type) throws(ListwayError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw .undecodable(String(describing: error))
    }
  }
}
