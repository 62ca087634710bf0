import Foundation

/// An encoder of `Encodable` values for `setValue(_:)`: dictionaries, arrays, numbers and texts.
///
/// The settings are those of `JSONEncoder`, with the defaults of Firebase's SDKs: dates are seconds since 2001
/// (`Date`'s own encoding), bytes are Base64.
public final class DatabaseEncoder: Sendable {
  /// The format of dates.
  public enum DateEncodingStrategy: Sendable {
    /// `Date`'s own encoding: seconds since 2001, a number with a fraction.
    case deferredToDate
    /// Seconds since 1970, a number with a fraction.
    case secondsSince1970
    /// Milliseconds since 1970, a number with a fraction, as `ServerValue.timestamp()` gives them.
    case millisecondsSince1970
    /// A text such as `2026-11-23T01:50:00Z`.
    case iso8601
    /// The output of the closure.
    case custom(@Sendable (Date, any Swift.Encoder) throws -> Void)
  }

  /// The format of bytes.
  public enum DataEncodingStrategy: Sendable {
    /// `Data`'s own encoding: an array of numbers.
    case deferredToData
    /// A Base64 text.
    case base64
    /// The output of the closure.
    case custom(@Sendable (Data, any Swift.Encoder) throws -> Void)
  }

  /// The encoding of infinity and NaN, which the database cannot store.
  public enum NonConformingFloatEncodingStrategy: Sendable {
    /// Encoding fails with `EncodingError.invalidValue`.
    case `throw`
    /// The given texts stand for these numbers.
    case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// The mapping from properties to stored names.
  public enum KeyEncodingStrategy: Sendable {
    /// The name of the property.
    case useDefaultKeys
    /// The name `one_two_three` for the property `oneTwoThree`.
    case convertToSnakeCase
    /// The result of the closure, called with the path of keys; it replaces the last key.
    case custom(@Sendable ([any CodingKey]) -> any CodingKey)
  }

  /// The settings, copied when encoding begins.
  struct Settings: Sendable {
    var dateEncodingStrategy: DateEncodingStrategy = .deferredToDate
    var dataEncodingStrategy: DataEncodingStrategy = .base64
    var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy = .throw
    var keyEncodingStrategy: KeyEncodingStrategy = .useDefaultKeys
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  }
  private let state = LockedValue(Settings())

  var settings: Settings { state.withLock { $0 } }

  /// The format of dates.
  public var dateEncodingStrategy: DateEncodingStrategy {
    get { settings.dateEncodingStrategy }
    set { state.withLock { $0.dateEncodingStrategy = newValue } }
  }
  /// The format of bytes.
  public var dataEncodingStrategy: DataEncodingStrategy {
    get { settings.dataEncodingStrategy }
    set { state.withLock { $0.dataEncodingStrategy = newValue } }
  }
  /// The encoding of infinity and NaN.
  public var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy {
    get { settings.nonConformingFloatEncodingStrategy }
    set { state.withLock { $0.nonConformingFloatEncodingStrategy = newValue } }
  }
  /// The mapping from properties to stored names.
  public var keyEncodingStrategy: KeyEncodingStrategy {
    get { settings.keyEncodingStrategy }
    set { state.withLock { $0.keyEncodingStrategy = newValue } }
  }
  /// The context that types can read from their encoder.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { settings.userInfo }
    set { state.withLock { $0.userInfo = newValue } }
  }

  /// Creates an encoder with the default settings.
  public init() {}

  /// Encodes a value for `setValue(_:)`.
  ///
  /// - Throws: `EncodingError`, or an error of the value's own `encode(to:)`.
  public func encode<Value: Encodable>(_ value: Value) throws -> Any {
    try EncodingBox.box(value, settings, []).value
  }
}

/// A value under construction. It is a class, because encoding containers fill it after they were returned.
final class EncodingBox {
  private enum Content {
    case nothing
    case value(Any)
    case object([String: EncodingBox])
    case array([EncodingBox])
  }
  private var content = Content.nothing

  /// The finished value.
  var value: Any {
    switch content {
    case .nothing: NSNull()
    case .value(let value): value
    case .object(let members): members.mapValues(\.value)
    case .array(let elements): elements.map(\.value)
    }
  }

  var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }
  var isEmpty: Bool { if case .nothing = content { true } else { false } }

  func set(_ value: Any) { content = .value(value) }

  /// Makes the value an object, unless it is one.
  func open() { if case .object = content {} else { content = .object([:]) } }

  /// Makes the value an array, unless it is one.
  func openArray() { if case .array = content {} else { content = .array([]) } }

  func set(_ box: EncodingBox, for name: String) {
    guard case .object(var members) = content else {
      content = .object([name: box])
      return
    }
    content = .nothing  // so that the dictionary is not copied
    members[name] = box
    content = .object(members)
  }

  func append(_ box: EncodingBox) {
    guard case .array(var elements) = content else {
      content = .array([box])
      return
    }
    content = .nothing
    elements.append(box)
    content = .array(elements)
  }

  /// Returns the member of that name, if it was encoded.
  func member(_ name: String) -> EncodingBox? { if case .object(let members) = content { members[name] } else { nil } }
}

extension EncodingBox {
  /// Encodes a value of any type, with the settings for dates and bytes.
  static func box(_ value: some Encodable, _ settings: DatabaseEncoder.Settings, _ path: [any CodingKey]) throws
    -> EncodingBox
  {
    let box = EncodingBox()
    let encoder = ValueEncoder(settings, path, box)
    switch value {
    case let date as Date: try encoder.encode(date)
    case let data as Data: try encoder.encode(data)
    case let url as URL: box.set(url.absoluteString)
    case let decimal as Decimal: box.set(NSDecimalNumber(decimal: decimal))
    default: try value.encode(to: encoder)
    }
    return box
  }
}
