/// A JSON value inside a token. Integers stay exact; members keep their order and have distinct names.
///
/// Strings and names are equal when their bytes are equal: Swift's own comparison considers canonically equivalent
/// strings equal, which would make different user IDs equal.
public enum ClaimValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number that was written without fraction and exponent.
  case int(Int64)
  /// Any other number, which is finite.
  case double(Double)
  /// A text, with its escapes resolved.
  case string(String)
  /// Elements in their order.
  case array([ClaimValue])
  /// Members in their order; no name occurs twice.
  case object([Member])

  /// A name of an object and its value.
  public struct Member: Sendable, Equatable {
    /// The name, compared by its bytes.
    public var name: String
    /// The member's value.
    public var value: ClaimValue

    /// Creates a member. The caller ensures that the names in an object are distinct.
    public init(_ name: String, _ value: ClaimValue) {
      self.name = name
      self.value = value
    }

    public static func == (left: Member, right: Member) -> Bool {
      left.name.hasSameBytes(as: right.name) && left.value == right.value
    }
  }

  /// The value of the member with a name; nil when absent or when this is not an object.
  public subscript(name: String) -> ClaimValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name.hasSameBytes(as: name) }?.value
  }

  /// The text; nil for a value of another type.
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  /// An object's members in their order; nil for a value of another type.
  public var members: [Member]? { if case .object(let members) = self { members } else { nil } }
  var isTrue: Bool { if case .bool(true) = self { true } else { false } }

  /// The value as a time: a whole number of seconds, 0 ≤ x < 2^53; nil for anything else.
  ///
  /// The range is checked before converting: `Int64(_: Double)` traps outside its own.
  public var seconds: Int64? {
    let limit: Int64 = 1 << 53
    switch self {
    case .int(let value) where value >= 0 && value < limit: return value
    case .double(let value) where value >= 0 && value < Double(limit) && value.rounded(.towardZero) == value:
      return Int64(value)
    default: return nil
    }
  }
}

extension ClaimValue: Equatable {
  public static func == (left: ClaimValue, right: ClaimValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}

extension String {
  /// Compares UTF-8 bytes, not canonical equivalence.
  func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
