import Foundation
import Synchronization

/// Turns an `Encodable` value into what `setValue(_:)` takes: dictionaries, arrays, numbers and texts.
///
/// The settings are those of `JSONEncoder`, with the defaults of the Realtime Database's SDKs: dates are seconds since 2001
/// (`Date`'s own form), bytes are Base64.
public final class DatabaseEncoder: Sendable {
  /// How a date is written.
  public enum DateEncodingStrategy: Sendable {
    /// As `Date` encodes itself: seconds since 2001, a number with a fraction.
    case deferredToDate
    /// Seconds since 1970, a number with a fraction.
    case secondsSince1970
    /// Milliseconds since 1970, a number with a fraction; what `ServerValue.timestamp()` gives.
    case millisecondsSince1970
    /// A text such as `2026-11-23T01:50:00Z`.
    case iso8601
    /// What the closure encodes.
    case custom(@Sendable (Date, any Swift.Encoder) throws -> Void)
  }

  /// How bytes are written.
  public enum DataEncodingStrategy: Sendable {
    /// As `Data` encodes itself: an array of numbers.
    case deferredToData
    /// A text in Base64.
    case base64
    /// What the closure encodes.
    case custom(@Sendable (Data, any Swift.Encoder) throws -> Void)
  }

  /// What becomes of infinity and of what is no number, which the database cannot hold.
  public enum NonConformingFloatEncodingStrategy: Sendable {
    /// `EncodingError.invalidValue`.
    case `throw`
    /// These texts.
    case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
  }

  /// What becomes of the names of properties.
  public enum KeyEncodingStrategy: Sendable {
    /// They stay.
    case useDefaultKeys
    /// `oneTwoThree` becomes `one_two_three`.
    case convertToSnakeCase
    /// What the closure makes of the path of keys; its result takes the place of the last.
    case custom(@Sendable ([any CodingKey]) -> any CodingKey)
  }

  /// All settings, as they are when a value is coded.
  struct Settings: Sendable {
    var dateEncodingStrategy: DateEncodingStrategy = .deferredToDate
    var dataEncodingStrategy: DataEncodingStrategy = .base64
    var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy = .throw
    var keyEncodingStrategy: KeyEncodingStrategy = .useDefaultKeys
    var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  }
  private let state = Mutex(Settings())

  var settings: Settings { state.withLock { $0 } }

  /// How dates are written.
  public var dateEncodingStrategy: DateEncodingStrategy {
    get { settings.dateEncodingStrategy }
    set { state.withLock { $0.dateEncodingStrategy = newValue } }
  }
  /// How bytes are written.
  public var dataEncodingStrategy: DataEncodingStrategy {
    get { settings.dataEncodingStrategy }
    set { state.withLock { $0.dataEncodingStrategy = newValue } }
  }
  /// What becomes of infinity and of what is no number.
  public var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy {
    get { settings.nonConformingFloatEncodingStrategy }
    set { state.withLock { $0.nonConformingFloatEncodingStrategy = newValue } }
  }
  /// What becomes of the names of properties.
  public var keyEncodingStrategy: KeyEncodingStrategy {
    get { settings.keyEncodingStrategy }
    set { state.withLock { $0.keyEncodingStrategy = newValue } }
  }
  /// What types may ask their encoder for.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { settings.userInfo }
    set { state.withLock { $0.userInfo = newValue } }
  }

  /// An encoder with the default settings.
  public init() {}

  /// What `setValue(_:)` takes for this value.
  ///
  /// - Throws: `EncodingError`, or what the value's own `encode(to:)` throws.
  public func encode<Value: Encodable>(_ value: Value) throws -> Any {
    try EncodingBox.box(value, settings, []).value
  }
}

/// One value while it is encoded: a reference, because containers fill it after they were handed out.
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

  /// Makes it an object, unless it is one.
  func open() { if case .object = content {} else { content = .object([:]) } }

  /// Makes it an array, unless it is one.
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

  /// The member of that name, if it was encoded.
  func member(_ name: String) -> EncodingBox? { if case .object(let members) = content { members[name] } else { nil } }
}

extension EncodingBox {
  /// A value of any type, by the settings where they have a say.
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
