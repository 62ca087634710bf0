/// A leaf's value, or a priority (which is only `.int`, `.double` or `.string`).
///
/// Numbers are equal by their exact value: `1` equals `1.0`, and `9007199254740993` does not equal
/// `9007199254740992.0`, although it rounds to that double. Strings are equal by code units. Rules and sort orders
/// compare numbers as doubles instead.
public enum Scalar: Sendable {
  /// `true` or `false`.
  case bool(Bool)
  /// An integer that fits 64 bits.
  case int(Int64)
  /// A double, finite and never `-0`.
  case double(Double)
  /// A text, compared by its code units.
  case string(String)
}

extension Scalar: Equatable {
  public static func == (a: Scalar, b: Scalar) -> Bool {
    switch (a, b) {
    case (.bool(let x), .bool(let y)): x == y
    case (.int(let x), .int(let y)): x == y
    case (.string(let x), .string(let y)): x.hasSameCodeUnits(as: y)
    case (.double(let x), .double(let y)): x == y
    case (.int(let x), .double(let y)), (.double(let y), .int(let x)): Int64(exactly: y) == x
    case (.bool, _), (_, .bool), (.string, _), (_, .string): false
    }
  }

  /// The number as a double; nil for booleans and strings.
  public var number: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    case .bool, .string: nil
    }
  }
}

extension Scalar: Hashable {
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(Double(value))
    case .double(let value): hasher.combine(value)
    case .string(let value): for byte in value.utf8 { hasher.combine(byte) }
    }
  }
}

extension String {
  /// Compares by code units, which Swift's `==` does not.
  func hasSameCodeUnits(as other: String) -> Bool {
    let fast = utf8.withContiguousStorageIfAvailable { x in
      other.utf8.withContiguousStorageIfAvailable { y in
        UnsafeRawBufferPointer(x).elementsEqualBytes(UnsafeRawBufferPointer(y))
      }
    }
    return (fast ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}
