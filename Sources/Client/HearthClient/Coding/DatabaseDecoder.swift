import Foundation
import Synchronization

/// Turns what a snapshot's `value` gives into a `Decodable` value.
///
/// The settings are those of `JSONDecoder`, with the defaults of the Realtime Database's SDKs. What the database shows as an
/// array is decoded as a dictionary where a dictionary is asked for, and a dictionary with the keys `0`, `1`, … as an array.
public final class DatabaseDecoder: Sendable {
  /// How a date is read.
  public enum DateDecodingStrategy: Sendable {
    /// As `Date` decodes itself: seconds since 2001.
    case deferredToDate
    /// Seconds since 1970.
    case secondsSince1970
    /// Milliseconds since 1970; what `ServerValue.timestamp()` gives.
    case millisecondsSince1970
    /// A text such as `2026-11-23T01:50:00Z`.
    case iso8601
    /// What the closure decodes.
    case custom(@Sendable (any Swift.Decoder) throws -> Date)
  }

  /// How bytes are read.
  public enum DataDecodingStrategy: Sendable {
    /// As `Data` decodes itself: an array of numbers.
    case deferredToData
    /// A text in Base64.
    case base64
    /// What the closure decodes.
    case custom(@Sendable (any Swift.Decoder) throws -> Data)
  }

  /// Texts that stand for numbers which the database cannot hold.
  public enum NonConformingFloatDecodingStrategy: Sendable {
    /// No text is a number.
    case `throw`
    /// These are.
    case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// Which property a stored name belongs to.
  public enum KeyDecodingStrategy: Sendable {
    /// The one of that name.
    case useDefaultKeys
    /// `one_two_three` belongs to `oneTwoThree`.
    case convertFromSnakeCase
    /// What the closure makes of the path of keys; its result takes the place of the last.
    case custom(@Sendable ([any CodingKey]) -> any CodingKey)
  }

  /// All settings, as they are when a value is coded.
  struct Settings: Sendable {
    var dateDecodingStrategy: DateDecodingStrategy = .deferredToDate
    var dataDecodingStrategy: DataDecodingStrategy = .base64
    var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy = .throw
    var keyDecodingStrategy: KeyDecodingStrategy = .useDefaultKeys
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  }
  private let state = Mutex(Settings())

  var settings: Settings { state.withLock { $0 } }

  /// How dates are read.
  public var dateDecodingStrategy: DateDecodingStrategy {
    get { settings.dateDecodingStrategy }
    set { state.withLock { $0.dateDecodingStrategy = newValue } }
  }
  /// How bytes are read.
  public var dataDecodingStrategy: DataDecodingStrategy {
    get { settings.dataDecodingStrategy }
    set { state.withLock { $0.dataDecodingStrategy = newValue } }
  }
  /// Texts that stand for numbers which the database cannot hold.
  public var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy {
    get { settings.nonConformingFloatDecodingStrategy }
    set { state.withLock { $0.nonConformingFloatDecodingStrategy = newValue } }
  }
  /// Which property a stored name belongs to.
  public var keyDecodingStrategy: KeyDecodingStrategy {
    get { settings.keyDecodingStrategy }
    set { state.withLock { $0.keyDecodingStrategy = newValue } }
  }
  /// What types may ask their decoder for.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { settings.userInfo }
    set { state.withLock { $0.userInfo = newValue } }
  }

  /// A decoder with the default settings.
  public init() {}

  /// The value that is described by `structure`.
  ///
  /// - Parameter structure: what a snapshot's `value` gives.
  /// - Throws: `DecodingError`, or what the value's own `init(from:)` throws.
  public func decode<Value: Decodable>(_ type: Value.Type, from structure: Any) throws -> Value {
    try ValueDecoder(settings, [], structure).decode(type)
  }
}
