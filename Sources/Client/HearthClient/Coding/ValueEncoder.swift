import Foundation

/// The encoder passed to a value's `encode(to:)`.
struct ValueEncoder: Encoder {
  let settings: DatabaseEncoder.Settings
  let codingPath: [any CodingKey]
  let box: EncodingBox

  init(_ settings: DatabaseEncoder.Settings, _ path: [any CodingKey], _ box: EncodingBox) {
    self.settings = settings
    codingPath = path
    self.box = box
  }

  var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

  func container<Name: CodingKey>(keyedBy type: Name.Type) -> KeyedEncodingContainer<Name> {
    box.open()
    return KeyedEncodingContainer(KeyedValueEncoder<Name>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    box.openArray()
    return UnkeyedValueEncoder(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encode(_ date: Date) throws {
    switch settings.dateEncodingStrategy {
    case .deferredToDate: try date.encode(to: self)
    case .secondsSince1970: box.set(date.timeIntervalSince1970)
    case .millisecondsSince1970: box.set(date.timeIntervalSince1970 * 1000)
    case .iso8601: box.set(date.formatted(.iso8601))
    case .custom(let encode): try encode(date, self)
    }
  }

  func encode(_ data: Data) throws {
    switch settings.dataEncodingStrategy {
    case .deferredToData: try data.encode(to: self)
    case .base64: box.set(data.base64EncodedString())
    case .custom(let encode): try encode(data, self)
    }
  }

  /// Returns a finite number unchanged, and any other number in the form that the settings determine.
  fileprivate func number(_ value: Double, at path: [any CodingKey]) throws -> Any {
    if value.isFinite { return value }
    guard case .convertToString(let positive, let negative, let nan) = settings.nonConformingFloatEncodingStrategy
    else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: path, debugDescription: "The database cannot hold \(value)."))
    }
    return value.isNaN ? nan : value > 0 ? positive : negative
  }

  /// Returns the stored name of a property.
  fileprivate func name(_ key: any CodingKey) -> String {
    switch settings.keyEncodingStrategy {
    case .useDefaultKeys: key.stringValue
    case .convertToSnakeCase: SnakeCase.from(key.stringValue)
    case .custom(let convert): convert(codingPath + [key]).stringValue
    }
  }

  fileprivate func box(_ value: some Encodable, at key: any CodingKey) throws -> EncodingBox {
    try EncodingBox.box(value, settings, codingPath + [key])
  }

  /// Returns an encoder for the value at a key.
  fileprivate func nested(_ key: any CodingKey, _ box: EncodingBox) -> ValueEncoder {
    ValueEncoder(settings, codingPath + [key], box)
  }
}

extension ValueEncoder: SingleValueEncodingContainer {
  func encodeNil() { box.set(NSNull()) }
  func encode(_ value: Double) throws { box.set(try number(value, at: codingPath)) }
  func encode(_ value: Float) throws { box.set(try number(Double(value), at: codingPath)) }
  func encode(_ value: some Encodable) throws {
    if let scalar = ValueCoding.scalar(value) { return box.set(scalar) }
    box.set(try EncodingBox.box(value, settings, codingPath).value)
  }
}

private struct KeyedValueEncoder<Name: CodingKey>: KeyedEncodingContainerProtocol {
  typealias Key = Name
  let encoder: ValueEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  private func set(_ value: Any, _ key: Name) {
    let box = EncodingBox()
    box.set(value)
    encoder.box.set(box, for: encoder.name(key))
  }

  func encodeNil(forKey key: Name) { set(NSNull(), key) }
  func encode(_ value: Double, forKey key: Name) throws { set(try encoder.number(value, at: codingPath + [key]), key) }
  func encode(_ value: Float, forKey key: Name) throws { try encode(Double(value), forKey: key) }
  func encode(_ value: some Encodable, forKey key: Name) throws {
    if let scalar = ValueCoding.scalar(value) { return set(scalar, key) }
    encoder.box.set(try encoder.box(value, at: key), for: encoder.name(key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Name
  ) -> KeyedEncodingContainer<Nested> {
    nested(key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Name) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { nested(ValueCoding.Name("super")) }
  func superEncoder(forKey key: Name) -> any Encoder { nested(key) }

  /// Returns the encoder of a member: the same one for the same name.
  private func nested(_ key: any CodingKey) -> ValueEncoder {
    let name = encoder.name(key)
    let box = encoder.box.member(name) ?? EncodingBox()
    encoder.box.set(box, for: name)
    return encoder.nested(key, box)
  }
}

private struct UnkeyedValueEncoder: UnkeyedEncodingContainer {
  let encoder: ValueEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.box.count }

  private func append(_ value: Any) {
    let box = EncodingBox()
    box.set(value)
    encoder.box.append(box)
  }

  func encodeNil() { append(NSNull()) }
  func encode(_ value: Double) throws { append(try encoder.number(value, at: codingPath)) }
  func encode(_ value: Float) throws { try encode(Double(value)) }
  func encode(_ value: some Encodable) throws {
    if let scalar = ValueCoding.scalar(value) { return append(scalar) }
    encoder.box.append(try encoder.box(value, at: ValueCoding.Name(index: count)))
  }

  func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
    nested().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  func superEncoder() -> any Encoder { nested() }

  private func nested() -> ValueEncoder {
    let (key, box) = (ValueCoding.Name(index: count), EncodingBox())
    encoder.box.append(box)
    return encoder.nested(key, box)
  }
}
