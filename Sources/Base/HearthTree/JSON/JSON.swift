/// A general JSON value for small things that are not tree data: claims, `authvar`, query objects.
///
/// Unlike tree data it keeps `null`, empty containers, arrays and any member name. Members stay in source order.
public enum JSON: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without a fraction that fits 64 bits.
  case int(Int64)
  /// Any other number, which is finite.
  case double(Double)
  /// A string, with its escapes resolved.
  case string(String)
  /// The elements in order.
  case array([JSON])
  /// The members, in the order of the text.
  case object([Member])

  /// A name in an object and its value.
  public struct Member: Sendable {
    /// The name, with its escapes resolved.
    public var name: String
    /// The member's value.
    public var value: JSON
    /// Creates a member.
    public init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// The value of the last member with the name, compared by code units; nil when there is none or when this is not an
  /// object.
  ///
  /// Setting a value replaces the last member of the name, or appends one; setting nil removes all members of the name.
  /// A value that is not an object becomes an object.
  public subscript(name: String) -> JSON? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.last { $0.name.hasSameCodeUnits(as: name) }?.value
    }
    set {
      var members = self.members ?? []
      self = .null  // So that the members are not copied.
      if let newValue, let place = members.lastIndex(where: { $0.name.hasSameCodeUnits(as: name) }) {
        members[place].value = newValue
      } else if let newValue {
        members.append(Member(name, newValue))
      } else {
        members.removeAll { $0.name.hasSameCodeUnits(as: name) }
      }
      self = .object(members)
    }
  }

  /// Returns the object with the members of `other` after its own.
  public func appending(_ other: JSON) -> JSON { .object((members ?? []) + (other.members ?? [])) }

  /// The text; nil for anything else.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The truth value; nil for anything else.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The elements; nil for anything but an array.
  public var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
  /// The members; nil for anything but an object.
  public var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// The value as a whole number: also a double without a fraction that an `Int64` holds exactly.
  public var int: Int64? {
    switch self {
    case .int(let value): value
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// Parses a whole JSON text; nil when the text is not JSON.
  public init?(parsing text: some Sequence<UInt8>, limits: JSONLimits = .standard) {
    let bytes = Array(text)
    let parsed = bytes.withUnsafeBytes { bytes -> JSON? in
      var reader = JSONReader(bytes, limits: limits)
      guard let value = try? reader.value(), (try? reader.end()) != nil else { return nil }
      return value
    }
    guard let parsed else { return nil }
    self = parsed
  }
}

extension JSON {
  /// Creates the JSON value of a leaf or of a priority.
  public init(_ scalar: Scalar) {
    self =
      switch scalar {
      case .bool(let value): .bool(value)
      case .int(let value): .int(value)
      case .double(let value): .double(value)
      case .string(let text): .string(text)
      }
  }
}
