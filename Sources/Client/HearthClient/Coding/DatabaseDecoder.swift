import Foundation

/// A decoder of `Decodable` values from a snapshot's `value`.
///
/// The settings correspond to those of `JSONDecoder`, with the defaults of Firebase's SDKs. An array in the data is
/// decoded as a dictionary when the type requires one, and a dictionary with the keys `0`, `1`, … as an array.
public final class DatabaseDecoder: Sendable {
  /// The format of dates.
  public enum DateDecodingStrategy: Sendable {
    /// `Date`'s own encoding: seconds since 2001.
    case deferredToDate
    /// Seconds since 1970.
    case secondsSince1970
    /// Milliseconds since 1970, as `ServerValue.timestamp()` gives them.
    case millisecondsSince1970
    /// A text such as `2026-11-23T01:50:00Z`.
    case iso8601
    /// The result of the closure.
    case custom(@Sendable (any Swift.Decoder) throws -> Date)
  }

  /// The format of bytes.
  public enum DataDecodingStrategy: Sendable {
    /// `Data`'s own encoding: an array of numbers.
    case deferredToData
    /// A Base64 text.
    case base64
    /// The result of the closure.
    case custom(@Sendable (any Swift.Decoder) throws -> Data)
  }

  /// The decoding of texts that stand for numbers which the database cannot hold.
  public enum NonConformingFloatDecodingStrategy: Sendable {
    /// Decoding a number from a text fails.
    case `throw`
    /// The given texts are decoded as these numbers.
    case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// The mapping from stored names to properties.
  public enum KeyDecodingStrategy: Sendable {
    /// The property of the same name.
    case useDefaultKeys
    /// The property `oneTwoThree` for the name `one_two_three`.
    case convertFromSnakeCase
    /// The result of the closure, called with the path of keys; it replaces the last key.
    case custom(@Sendable ([any CodingKey]) -> any CodingKey)
  }

  /// The settings, copied when decoding begins.
  struct Settings: Sendable {
    var dateDecodingStrategy: DateDecodingStrategy = .deferredToDate
    var dataDecodingStrategy: DataDecodingStrategy = .base64
    var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy = .throw
    var keyDecodingStrategy: KeyDecodingStrategy = .useDefaultKeys
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  }
  private let state = LockedValue(Settings())

  var settings: Settings { state.withLock { $0 } }

  /// The format of dates.
  public var dateDecodingStrategy: DateDecodingStrategy {
    get { settings.dateDecodingStrategy }
    set { state.withLock { $0.dateDecodingStrategy = newValue } }
  }
  /// The format of bytes.
  public var dataDecodingStrategy: DataDecodingStrategy {
    get { settings.dataDecodingStrategy }
    set { state.withLock { $0.dataDecodingStrategy = newValue } }
  }
  /// The texts that stand for numbers which the database cannot hold.
  public var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy {
    get { settings.nonConformingFloatDecodingStrategy }
    set { state.withLock { $0.nonConformingFloatDecodingStrategy = newValue } }
  }
  /// The mapping from stored names to properties.
  public var keyDecodingStrategy: KeyDecodingStrategy {
    get { settings.keyDecodingStrategy }
    set { state.withLock { $0.keyDecodingStrategy = newValue } }
  }
  /// The context that types can read from their decoder.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { settings.userInfo }
    set { state.withLock { $0.userInfo = newValue } }
  }

  /// Creates a decoder with the default settings.
  public init() {}

  /// Decodes a value from `structure`.
  ///
  /// - Parameter structure: The `value` of a snapshot.
  /// - Throws: `DecodingError`, or an error of the value's own `init(from:)`.
  public func decode<Value: Decodable>(_ type: Value.Type, from structure: Any) throws -> Value {
    try ValueDecoder(settings, [], structure).decode(type)
  }
}
