/// A value of CBOR.
enum CBORValue: Sendable {
  case unsigned(UInt64)
  /// The negative integer `-1 - n`, where `n` is the associated value.
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case array([CBORValue])
  case map([Member])
  case bool(Bool)
  /// A null, an undefined value or a fraction.
  case other

  /// A key of a map and its value.
  struct Member: Sendable {
    var key: CBORValue
    var value: CBORValue
  }

  /// The value of a text key in a map.
  subscript(name: String) -> CBORValue? {
    guard case .map(let members) = self else { return nil }
    return members.first { member in
      if case .text(let key) = member.key { key.utf8.elementsEqual(name.utf8) } else { false }
    }?.value
  }

  /// The value of an integer key in a map.
  subscript(label: Int64) -> CBORValue? {
    guard case .map(let members) = self else { return nil }
    return members.first { $0.key.int == label }?.value
  }

  /// The integer, when it fits; nil otherwise.
  var int: Int64? {
    switch self {
    case .unsigned(let number): Int64(exactly: number)
    case .negative(let number): Int64(exactly: number).map { -1 - $0 }
    default: nil
    }
  }

  var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

  /// The value as a map key: here keys are integers and texts. Nil for another type.
  fileprivate var name: String? {
    switch self {
    case .unsigned(let number): "\(number)"
    case .negative(let number): "-\(number)"
    case .text(let text): "\"\(text)"
    default: nil
    }
  }
}

/// Reads CBOR (RFC 8949) in CTAP2's canonical form: definite lengths in the shortest encoding, no tags, no duplicate
/// keys, few levels. The cost is bounded by the number of bytes.
///
/// Data for the signature library has been parsed here before.
struct CBORReader {
  private let bytes: [UInt8]
  /// The next byte.
  private(set) var position: Int

  init(_ bytes: [UInt8], at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  var isAtEnd: Bool { position == bytes.count }
  private var left: Int { bytes.count - position }

  /// The next value.
  mutating func value() throws(WebAuthnError) -> CBORValue { try value(depth: 0) }

  /// Reads the next value, which is a map whose keys are texts, with the bytes of each member's value.
  mutating func textMap() throws(WebAuthnError) -> [(name: String, value: CBORValue, bytes: [UInt8])] {
    let (major, count) = try head()
    guard major == 5, count <= UInt64(left / 2) else { throw Self.malformed }
    var members: [(name: String, value: CBORValue, bytes: [UInt8])] = []
    for _ in 0..<count {
      guard case .text(let name) = try value(depth: 1), !members.contains(where: { $0.name == name }) else {
        throw Self.malformed
      }
      let start = position
      let value = try value(depth: 1)
      members.append((name, value, Array(bytes[start..<position])))
    }
    return members
  }

  private static let malformed = WebAuthnError(.malformed, "The authenticator's data is not CTAP2 canonical CBOR.")

  private mutating func value(depth: Int) throws(WebAuthnError) -> CBORValue {
    let (major, number) = try head()
    switch major {
    case 0: return .unsigned(number)
    case 1: return .negative(number)
    case 2: return .bytes(try take(number))
    case 3:
      guard let text = String(validating: try take(number), as: UTF8.self) else { throw Self.malformed }
      return .text(text)
    case 4:
      guard depth < WebAuthnLimits.nestingMax, number <= UInt64(left) else { throw Self.malformed }
      var elements: [CBORValue] = []
      for _ in 0..<number { elements.append(try value(depth: depth + 1)) }
      return .array(elements)
    case 5:
      guard depth < WebAuthnLimits.nestingMax, number <= UInt64(left / 2) else { throw Self.malformed }
      var members: [CBORValue.Member] = []
      var names: Set<String> = []
      for _ in 0..<number {
        let key = try value(depth: depth + 1)
        guard let name = key.name, names.insert(name).inserted else { throw Self.malformed }
        members.append(CBORValue.Member(key: key, value: try value(depth: depth + 1)))
      }
      return .map(members)
    case 7: return number == 20 ? .bool(false) : number == 21 ? .bool(true) : .other
    default: throw Self.malformed
    }
  }

  /// Reads the head of the next value: its major type, and its argument (a number, a length or a count).
  private mutating func head() throws(WebAuthnError) -> (major: UInt8, number: UInt64) {
    guard let first = bytes.dropFirst(position).first else { throw Self.malformed }
    position += 1
    let (major, low) = (first >> 5, first & 31)
    if low < 24 { return (major, UInt64(low)) }
    guard low <= 27 else { throw Self.malformed }
    let length = 1 << Int(low - 24)
    guard length <= left else { throw Self.malformed }
    let number = bytes[position..<position + length].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    position += length
    // The bits of fractions, which are not decoded, have another meaning.
    if major == 7 {
      guard low > 24 else { throw Self.malformed }
      return (major, 0)
    }
    let least: UInt64 = low == 24 ? 24 : 1 << UInt64(length * 4)
    guard number >= least else { throw Self.malformed }
    return (major, number)
  }

  private mutating func take(_ count: UInt64) throws(WebAuthnError) -> [UInt8] {
    guard let count = Int(exactly: count), count <= left else { throw Self.malformed }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }
}
