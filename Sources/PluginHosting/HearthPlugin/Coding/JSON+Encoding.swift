import HearthTree

extension JSON {
  /// Creates the `Codable` form of a value, for messages between programs.
  ///
  /// - Throws: the error of the value's `encode(to:)`, and `EncodingError` for a number that JSON does not have.
  public init(encoding value: some Encodable) throws {
    if let json = value as? JSON {
      self = json
      return
    }
    let box = EncodedBox()
    try value.encode(to: MessageEncoder(box: box, codingPath: []))
    self = box.json
  }
}

/// The result of encoding one value.
private final class EncodedBox {
  private enum Content {
    case empty
    case scalar(JSON)
    case members([(name: String, box: EncodedBox)])
    case elements([EncodedBox])
  }

  private var content = Content.empty

  var json: JSON {
    switch content {
    case .empty: .null
    case .scalar(let value): value
    case .members(let members): .object(members.map { .init($0.name, $0.box.json) })
    case .elements(let elements): .array(elements.map(\.json))
    }
  }

  func set(_ value: JSON) { content = .scalar(value) }

  func openObject() { if case .empty = content { content = .members([]) } }

  func openArray() { if case .empty = content { content = .elements([]) } }

  var count: Int { if case .elements(let elements) = content { elements.count } else { 0 } }

  func member(_ name: String) -> EncodedBox {
    let box = EncodedBox()
    if case .members(let members) = content { content = .members(members + [(name, box)]) }
    return box
  }

  func element() -> EncodedBox {
    let box = EncodedBox()
    if case .elements(let elements) = content { content = .elements(elements + [box]) }
    return box
  }
}

private struct MessageEncoder: Encoder, SingleValueEncodingContainer {
  let box: EncodedBox
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    box.openObject()
    return KeyedEncodingContainer(MemberEncoder<Key>(box: box, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    box.openArray()
    return ElementEncoder(box: box, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { box.set(.null) }

  func encode<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let json as JSON: box.set(json)
    case let bool as Bool: box.set(.bool(bool))
    case let text as String: box.set(.string(text))
    case let number as any BinaryInteger:
      guard let int = Int64(exactly: number) else { throw outOfRange(value) }
      box.set(.int(int))
    case let number as any BinaryFloatingPoint:
      guard Double(number).isFinite else { throw outOfRange(value) }
      box.set(.double(Double(number)))
    default: try value.encode(to: self)
    }
  }

  private func outOfRange(_ value: Any) -> EncodingError {
    .invalidValue(value, .init(codingPath: codingPath, debugDescription: "a message cannot contain this number"))
  }
}

private struct MemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let box: EncodedBox
  let codingPath: [any CodingKey]

  private func encoder(_ key: any CodingKey) -> MessageEncoder {
    MessageEncoder(box: box.member(key.stringValue), codingPath: codingPath + [key])
  }

  func encodeNil(forKey key: Key) { encoder(key).encodeNil() }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder(key).encode(value) }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { MessageEncoder(box: box.member("super"), codingPath: codingPath) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}

private struct ElementEncoder: UnkeyedEncodingContainer {
  let box: EncodedBox
  let codingPath: [any CodingKey]
  var count: Int { box.count }

  private func encoder() -> MessageEncoder { MessageEncoder(box: box.element(), codingPath: codingPath) }

  func encodeNil() { encoder().encodeNil() }
  func encode<Value: Encodable>(_ value: Value) throws { try encoder().encode(value) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    encoder().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder() }
}
