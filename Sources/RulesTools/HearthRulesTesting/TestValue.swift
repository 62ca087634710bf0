import HearthTree

/// A value of the database or a claim, written as a literal: `["text": "hi", "at": .timestamp, "seen": ["bob": true]]`.
public struct TestValue: Sendable {
  let json: JSON

  init(json: JSON) { self.json = json }

  /// The value that a general JSON value is.
  public init(_ json: JSON) { self.json = json }
  /// A text.
  public init(_ text: String) { json = .string(text) }
  /// A number.
  public init(_ number: Int) { json = .int(Int64(number)) }
  /// A number; one that is not finite cannot be stored, and is refused when it is used.
  public init(_ number: Double) { json = .double(number) }
  /// A truth value.
  public init(_ value: Bool) { json = .bool(value) }

  /// The server's time: `{".sv": "timestamp"}`.
  public static let timestamp = TestValue(json: [".sv": "timestamp"])

  /// What is there and this much more: `{".sv": {"increment": 1}}`.
  public static func increment(by delta: Double) -> TestValue {
    let delta: JSON = Int64(exactly: delta).map { .int($0) } ?? .double(delta)
    return TestValue(json: [".sv": ["increment": delta]])
  }

  /// - Throws: ``RulesTestingError`` for what cannot be stored there.
  func writeValue(for location: Location = Location(path: .root)) throws -> WriteValue {
    try read { reader throws(JSONError) in try reader.writeValue(for: location) }
  }

  /// - Throws: ``RulesTestingError`` for what no update can be.
  func writes(below path: Path) throws -> [Write] {
    try read { reader throws(JSONError) in try reader.merge(below: path.count) }
  }

  /// JSON text has no word for what is not finite.
  private static func isFinite(_ json: JSON) -> Bool {
    switch json {
    case .double(let number): number.isFinite
    case .array(let elements): elements.allSatisfy(isFinite)
    case .object(let members): members.allSatisfy { isFinite($0.value) }
    case .null, .bool, .int, .string: true
    }
  }

  private func read<Result>(_ body: (inout JSONReader) throws(JSONError) -> Result) throws -> Result {
    guard Self.isFinite(json) else { throw RulesTestingError("the database holds finite numbers only") }
    let text = json.text()
    do {
      return try text.withUnsafeBufferPointer { bytes throws(JSONError) in
        var reader = JSONReader(UnsafeRawBufferPointer(bytes))
        let result = try body(&reader)
        try reader.end()
        return result
      }
    } catch {
      throw RulesTestingError("\(error.message), in \(String(decoding: text.prefix(200), as: UTF8.self))")
    }
  }
}

extension TestValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Nothing.
  public init(nilLiteral: ()) { json = .null }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { json = .bool(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { json = .int(value) }
  /// A number.
  public init(floatLiteral value: Double) { json = .double(value) }
  /// A text.
  public init(stringLiteral value: String) { json = .string(value) }
  /// A list, which the database keeps as an object with the names `0`, `1` and so on.
  public init(arrayLiteral elements: TestValue...) { json = .array(elements.map(\.json)) }
  /// An object.
  public init(dictionaryLiteral elements: (String, TestValue)...) {
    json = .object(elements.map { JSON.Member($0.0, $0.1.json) })
  }
}
