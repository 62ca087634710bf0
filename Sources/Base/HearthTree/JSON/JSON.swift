/// A general JSON value for small things that are not tree data: claims, `authvar`, query objects.
///
/// Unlike tree data it keeps `null`, empty containers, arrays and any member name. Members stay in source order.
public enum JSON: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without a fraction that fits.
  case int(Int64)
  /// Any other number, which is finite.
  case double(Double)
  /// Text, its escapes resolved.
  case string(String)
  /// Elements in order.
  case array([JSON])
  /// Members in the order of the text.
  case object([Member])

  /// A name in an object and its value.
  public struct Member: Sendable {
    /// The name, with its escapes resolved.
    public var name: String
    /// The member's value.
    public var value: JSON
    /// A member of that name.
    public init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// The member of that name, by code units; nil when absent or when this is not an object.
  ///
  /// A new value stands where the name's last member is, or at the end; nil removes all members of the name. What is no object
  /// becomes one.
  public subscript(name: String) -> JSON? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.last { $0.name.hasSameCodeUnits(as: name) }?.value
    }
    set {
      var members = self.members ?? []
      self = .null  // The members stay where they are in memory.
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

  /// Returns the object with the members of `other` behind its own.
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

  /// The value of a whole JSON text; nil when the text is not JSON.
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
  /// The value of a leaf, or a priority.
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
