import HearthTree

extension JSON {
  /// Returns the value whose `Codable` form this is. Members that the type does not have are ignored.
  ///
  /// - Throws: `DecodingError` when a member is missing or of another kind; it names the path and shows no value.
  public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
    try MessageDecoder(value: self, codingPath: []).decode(type)
  }
}

private struct MessageDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSON
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = value.members else { throw mismatch([String: JSON].self, "an object") }
    // The last of several members with the same name counts, as everywhere.
    let byName = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    return KeyedDecodingContainer(MemberDecoder<Key>(members: byName, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = value.array else { throw mismatch([JSON].self, "a list") }
    return ElementDecoder(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value == .null }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let json = value as? Value { return json }
    switch type {
    case is Bool.Type:
      guard let bool = value.bool as? Value else { throw mismatch(type, "true or false") }
      return bool
    case is String.Type:
      guard let text = value.string as? Value else { throw mismatch(type, "a string") }
      return text
    case let integer as any FixedWidthInteger.Type:
      guard let number = value.int.flatMap({ integer.init(exactly: $0) }) as? Value else {
        throw mismatch(type, "a whole number in range")
      }
      return number
    case is Double.Type:
      switch value {
      case .int(let number): if let double = Double(number) as? Value { return double }
      case .double(let number): if let double = number as? Value { return double }
      default: break
      }
      throw mismatch(type, "a number")
    default: return try Value(from: self)
    }
  }

  private func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
    .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "must be \(wanted)"))
  }
}

private struct MemberDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [String: JSON]
  let codingPath: [any CodingKey]
  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

  private func decoder(_ key: any CodingKey) throws -> MessageDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "is missing"))
    }
    return MessageDecoder(value: value, codingPath: codingPath + [key])
  }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try decoder(key).decode(type) }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { MessageDecoder(value: members["super"] ?? .null, codingPath: codingPath) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct ElementDecoder: UnkeyedDecodingContainer {
  let elements: [JSON]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  init(elements: [JSON], codingPath: [any CodingKey]) { (self.elements, self.codingPath) = (elements, codingPath) }

  private mutating func next() throws -> MessageDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSON.self, .init(codingPath: codingPath, debugDescription: "has too few elements"))
    }
    defer { currentIndex += 1 }
    return MessageDecoder(value: elements[currentIndex], codingPath: codingPath)
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex] == .null else { return false }
    currentIndex += 1
    return true
  }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
  mutating func superDecoder() throws -> any Decoder { try next() }
}
