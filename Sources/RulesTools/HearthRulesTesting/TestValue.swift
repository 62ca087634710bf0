import HearthTree

/// A value of the database or a claim, written as a literal: `["text": "hi", "at": .timestamp, "seen": ["bob": true]]`.
public struct TestValue: Sendable {
  let json: JSON

  init(json: JSON) { self.json = json }

  /// Creates a value from JSON.
  public init(_ json: JSON) { self.json = json }
  /// Creates a text.
  public init(_ text: String) { json = .string(text) }
  /// Creates a number.
  public init(_ number: Int) { json = .int(Int64(number)) }
  /// Creates a number. A number that is not finite is refused when it is used, because it cannot be stored.
  public init(_ number: Double) { json = .double(number) }
  /// Creates a Boolean.
  public init(_ value: Bool) { json = .bool(value) }

  /// The server's time: `{".sv": "timestamp"}`.
  public static let timestamp = TestValue(json: [".sv": "timestamp"])

  /// The increment of an existing number: `{".sv": {"increment": 1}}`.
  public static func increment(by delta: Double) -> TestValue {
    let delta: JSON = Int64(exactly: delta).map { .int($0) } ?? .double(delta)
    return TestValue(json: [".sv": ["increment": delta]])
  }

  /// Returns the value to write at a location.
  ///
  /// - Throws: ``RulesTestingError`` for a value that cannot be stored at the location.
  func writeValue(for location: Location = Location(path: .root)) throws -> WriteValue {
    try read { reader throws(JSONError) in try reader.writeValue(for: location) }
  }

  /// Returns the writes of an update below a path.
  ///
  /// - Throws: ``RulesTestingError`` for a value that is not an update.
  func writes(below path: Path) throws -> [Write] {
    try read { reader throws(JSONError) in try reader.merge(below: path.count) }
  }

  /// Returns false for numbers that JSON text cannot express.
  private static func isFinite(_ json: JSON) -> Bool {
    switch json {
    case .double(let number): number.isFinite
    case .array(let elements): elements.allSatisfy(isFinite)
    case .object(let members): members.allSatisfy { isFinite($0.value) }
    case .null, .bool, .int, .string: true
    }
  }

  private func read<Result>(_ body: (inout JSONReader) throws(JSONError) -> Result) throws -> Result {
    guard Self.isFinite(json) else { throw RulesTestingError("the database can only store finite numbers") }
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
  /// Creates null.
  public init(nilLiteral: ()) { json = .null }
  /// Creates `true` or `false`.
  public init(booleanLiteral value: Bool) { json = .bool(value) }
  /// Creates an integer.
  public init(integerLiteral value: Int64) { json = .int(value) }
  /// Creates a number.
  public init(floatLiteral value: Double) { json = .double(value) }
  /// Creates a text.
  public init(stringLiteral value: String) { json = .string(value) }
  /// Creates a list, which the database stores as an object with the keys `0`, `1` and so on.
  public init(arrayLiteral elements: TestValue...) { json = .array(elements.map(\.json)) }
  /// Creates an object.
  public init(dictionaryLiteral elements: (String, TestValue)...) {
    json = .object(elements.map { JSON.Member($0.0, $0.1.json) })
  }
}
