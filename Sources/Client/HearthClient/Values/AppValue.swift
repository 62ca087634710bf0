import Foundation
import HearthTree

/// The kind of a value that an app passes as `Any?`, independent of which of many types it has.
enum AppValue {
  case null
  case text(String)
  case number(Number)
  case dictionary([AnyHashable: Any])
  case array([Any])
  /// A value that cannot be stored, with the name of its type.
  case other(String)

  /// A number with its kind.
  enum Number {
    case bool(Bool)
    case int(Int64)
    case double(Double)

    var isNaN: Bool { if case .double(let value) = self { value.isNaN } else { false } }

    /// The number as a ``Scalar``; nil when it is not finite.
    var scalar: Scalar? {
      switch self {
      case .bool(let value): .bool(value)
      case .int(let value): .int(value)
      case .double(let value): value.isFinite ? .double(value == 0 ? 0 : value) : nil
      }
    }
  }

  /// Classifies a value; optionals inside `Any` are unwrapped.
  init(_ any: Any?) {
    guard let any else {
      self = .null
      return
    }
    let type = type(of: any)
    // The common types come first, without the dynamic casts below.
    if type == String.self, let text = any as? String {
      self = .text(text)
    } else if type == Int.self, let value = any as? Int {
      self = .number(.int(Int64(value)))
    } else if type == Double.self, let value = any as? Double {
      self = .number(.double(value))
    } else if type == Bool.self, let value = any as? Bool {
      self = .number(.bool(value))
    } else if let optional = any as? any OptionalValue {
      self = AppValue(optional.wrappedAny)
    } else if any is NSNull {
      self = .null
    } else if let text = Self.text(any) {
      self = .text(text)
    } else if let number = Self.number(any) {
      self = .number(number)
    } else if let object = Self.foundationContainer(any) {
      self = object
    } else if let dictionary = any as? [AnyHashable: Any] {
      self = .dictionary(dictionary)
    } else if let array = any as? [Any] {
      self = .array(array)
    } else {
      self = .other("\(type)")
    }
  }

  /// Returns one level of a Foundation dictionary or array.
  ///
  /// A cast to Swift's types converts the whole depth at once on Linux, and never returns for an object that contains
  /// itself. On Apple systems it converts lazily.
  private static func foundationContainer(_ any: Any) -> AppValue? {
    #if canImport(Darwin)
      return nil
    #else
      guard type(of: any) is AnyClass else { return nil }
      if let object = any as? NSDictionary {
        let members = Mirror(reflecting: object).children.compactMap { $0.value as? (key: NSObject, value: AnyObject) }
        // A subclass of the app may store its members in another way.
        guard members.count == object.count else { return nil }
        return .dictionary(
          Dictionary(
            members.map { (($0.key as Any as? String).map { AnyHashable($0) } ?? AnyHashable($0.key), $0.value) },
            uniquingKeysWith: { first, _ in first }))
      }
      if let object = any as? NSArray {
        let elements = Mirror(reflecting: object).children.map(\.value)
        return elements.count == object.count ? .array(elements) : nil
      }
      return nil
    #endif
  }

  private static func text(_ any: Any) -> String? {
    switch any {
    case let text as String: text
    case let text as Substring: String(text)
    default: nil
    }
  }

  private static func number(_ any: Any) -> Number? {
    switch any {
    case let value as any FixedWidthInteger & BinaryInteger where !(any is NSNumber) || isSwiftNumber(any):
      return Int64(exactly: value).map { .int($0) } ?? .double(Double(value))
    case let value as NSNumber where !isSwiftNumber(any): return number(object: value)
    case let value as Decimal: return number(object: NSDecimalNumber(decimal: value))
    case let value as any BinaryFloatingPoint: return .double(Double(value))
    case let value as NSNumber: return number(object: value)
    default: return nil
    }
  }

  /// Returns true when the value is a Swift number and not an object that a cast would convert to one.
  private static func isSwiftNumber(_ any: Any) -> Bool { !(type(of: any) is AnyClass) }

  private static func number(object number: NSNumber) -> Number {
    if isBoolean(number) { return .bool(number.boolValue) }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): return .double(number.doubleValue)
    case UInt8(ascii: "Q"):
      return Int64(exactly: number.uint64Value).map { .int($0) } ?? .double(Double(number.uint64Value))
    default: return .int(number.int64Value)
    }
  }

  /// Returns true when the object was created from a boolean rather than from 0 or 1.
  private static func isBoolean(_ number: NSNumber) -> Bool {
    #if canImport(Darwin)
      CFGetTypeID(number) == CFBooleanGetTypeID()
    #else
      // There is one shared object for each boolean, and small integers have another type.
      UInt8(bitPattern: number.objCType.pointee) == UInt8(ascii: "c")
    #endif
  }
}

/// An optional of unknown type.
private protocol OptionalValue {
  /// The wrapped value.
  var wrappedAny: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrappedAny: Any? { map { $0 as Any } }
}
