import Foundation

/// The decoder passed to a value's `init(from:)`.
struct ValueDecoder: Decoder {
  let settings: DatabaseDecoder.Settings
  let codingPath: [any CodingKey]
  private let content: AppValue

  init(_ settings: DatabaseDecoder.Settings, _ path: [any CodingKey], _ value: Any?) {
    self.settings = settings
    codingPath = path
    content = AppValue(value)
  }

  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func container<Name: CodingKey>(keyedBy type: Name.Type) throws -> KeyedDecodingContainer<Name> {
    let named = Dictionary(try members.map { (name($0.key), $0) }, uniquingKeysWith: { first, _ in first })
    return KeyedDecodingContainer(KeyedValueDecoder<Name>(decoder: self, members: named))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    UnkeyedValueDecoder(decoder: self, elements: try elements)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  /// The stored names with their values; the names in an array are `0`, `1`, ….
  private var members: [(key: String, value: Any)] {
    get throws {
      switch content {
      case .dictionary(let dictionary):
        return dictionary.compactMap { key, value in (key.base as? String).map { ($0, value) } }
      case .array(let elements):
        return elements.enumerated().filter { !($0.element is NSNull) }.map { (String($0.offset), $0.element) }
      default: throw mismatch([String: Any].self)
      }
    }
  }

  private var elements: [Any] {
    get throws {
      switch content {
      case .array(let elements): return elements
      case .dictionary(let dictionary):
        // An array with many gaps is stored as an object.
        let indexed = dictionary.compactMap { key, value in
          (key.base as? String).flatMap { Int($0) }.map { ($0, value) }
        }
        guard indexed.count == dictionary.count, indexed.allSatisfy({ $0.0 >= 0 }) else { throw mismatch([Any].self) }
        return indexed.sorted { $0.0 < $1.0 }.map(\.1)
      default: throw mismatch([Any].self)
      }
    }
  }

  /// Returns the name of the property for a stored name.
  private func name(_ stored: String) -> String {
    switch settings.keyDecodingStrategy {
    case .useDefaultKeys: stored
    case .convertFromSnakeCase: SnakeCase.to(stored)
    case .custom(let convert): convert(codingPath + [ValueCoding.Name(stored)]).stringValue
    }
  }

  /// Returns a decoder for the value at a key.
  fileprivate func nested(_ key: any CodingKey, _ value: Any) -> ValueDecoder {
    ValueDecoder(settings, codingPath + [key], value)
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "Expected \(type), found \(content.kind).")
    return decodeNil() ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}

extension ValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { if case .null = content { true } else { false } }

  func decode(_ type: Bool.Type) throws -> Bool {
    switch content {
    case .number(.bool(let value)): return value
    // Other programs may store booleans as numbers.
    case .number(.int(0)): return false
    case .number(.int(1)): return true
    default: throw mismatch(type)
    }
  }

  func decode(_ type: String.Type) throws -> String {
    guard case .text(let text) = content else { throw mismatch(type) }
    return text
  }

  func decode(_ type: Double.Type) throws -> Double {
    switch content {
    case .number(.double(let value)): return value
    case .number(.int(let value)): return Double(value)
    case .text(let text):
      guard
        case .convertFromString(let positive, let negative, let nan) = settings.nonConformingFloatDecodingStrategy
      else { throw mismatch(type) }
      if text == positive { return .infinity }
      if text == negative { return -.infinity }
      if text == nan { return .nan }
      throw mismatch(type)
    default: throw mismatch(type)
    }
  }

  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  private func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
    let value: Value?
    switch content {
    case .number(.int(let number)): value = Value(exactly: number)
    case .number(.double(let number)): value = Value(exactly: number)
    default: throw mismatch(type)
    }
    guard let value else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: codingPath, debugDescription: "The number does not fit in \(type)."))
    }
    return value
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value: Any =
      switch type {
      case is Date.Type: try date()
      case is Data.Type: try data()
      case is URL.Type: try url()
      case is Decimal.Type: try decimal()
      case let type as any FixedWidthInteger.Type: try integer(type)
      case is Bool.Type: try decode(Bool.self)
      case is Double.Type: try decode(Double.self)
      case is Float.Type: try decode(Float.self)
      case is String.Type: try decode(String.self)
      default: try Value(from: self)
      }
    guard let value = value as? Value else { throw mismatch(type) }
    return value
  }

  private func date() throws -> Date {
    switch settings.dateDecodingStrategy {
    case .deferredToDate: return try Date(from: self)
    case .secondsSince1970: return Date(timeIntervalSince1970: try decode(Double.self))
    case .millisecondsSince1970: return Date(timeIntervalSince1970: try decode(Double.self) / 1000)
    case .iso8601:
      let text = try decode(String.self)
      guard let date = try? Date(text, strategy: .iso8601) else {
        throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "No date in ISO 8601."))
      }
      return date
    case .custom(let decode): return try decode(self)
    }
  }

  private func data() throws -> Data {
    switch settings.dataDecodingStrategy {
    case .deferredToData: return try Data(from: self)
    case .base64:
      guard let data = Data(base64Encoded: try decode(String.self)) else {
        throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "No text in Base64."))
      }
      return data
    case .custom(let decode): return try decode(self)
    }
  }

  private func url() throws -> URL {
    guard let url = URL(string: try decode(String.self)) else {
      throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "No URL."))
    }
    return url
  }

  private func decimal() throws -> Decimal {
    if case .number(.int(let value)) = content { return Decimal(value) }
    return Decimal(try decode(Double.self))
  }
}

private struct KeyedValueDecoder<Name: CodingKey>: KeyedDecodingContainerProtocol {
  typealias Key = Name
  let decoder: ValueDecoder
  /// The stored names and values by property name.
  let members: [String: (key: String, value: Any)]
  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Name] { members.keys.compactMap { Name(stringValue: $0) } }

  func contains(_ key: Name) -> Bool { members[key.stringValue] != nil }

  private func at(_ key: any CodingKey) throws -> ValueDecoder {
    guard let member = members[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "Nothing is stored under \(key.stringValue)."))
    }
    return decoder.nested(key, member.value)
  }

  func decodeNil(forKey key: Name) throws -> Bool { try at(key).decodeNil() }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Name) throws -> Value { try at(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Name
  ) throws -> KeyedDecodingContainer<Nested> {
    try at(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Name) throws -> any UnkeyedDecodingContainer {
    try at(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try at(ValueCoding.Name("super")) }
  func superDecoder(forKey key: Name) throws -> any Decoder { try at(key) }
}

private struct UnkeyedValueDecoder: UnkeyedDecodingContainer {
  let decoder: ValueDecoder
  let elements: [Any]
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  init(decoder: ValueDecoder, elements: [Any]) {
    self.decoder = decoder
    self.elements = elements
  }

  private func current(_ type: Any.Type) throws -> ValueDecoder {
    let key = ValueCoding.Name(index: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, .init(codingPath: codingPath + [key], debugDescription: "The array ends here."))
    }
    return decoder.nested(key, elements[currentIndex])
  }

  mutating func decodeNil() throws -> Bool {
    let isNil = try current(Never.self).decodeNil()
    if isNil { currentIndex += 1 }
    return isNil
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try current(type).decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    let container = try current(type).container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try current([Any].self).unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let nested = try current((any Decoder).self)
    currentIndex += 1
    return nested
  }
}

extension AppValue {
  /// The kind of the value in words, for errors.
  fileprivate var kind: String {
    switch self {
    case .null: "null"
    case .text: "a text"
    case .number(.bool): "a boolean"
    case .number: "a number"
    case .dictionary: "an object"
    case .array: "an array"
    case .other(let type): type
    }
  }
}
