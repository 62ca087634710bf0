import HearthTree

/// A value while a rule runs, like ``Value``, with texts that are not copied.
enum Operand {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  /// A text in the tree or in the program, both of which outlive the evaluation.
  case bytes(UnsafeRawBufferPointer)
  case container
}

extension Operand {
  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let value): self = .number(value)
    case .string(let text): self = .string(text)
    case .container: self = .container
    }
  }

  init(_ scalar: Scalar?) { self.init(Value(scalar)) }

  /// Creates the `val()` of a node.
  init(_ node: BorrowedNode) {
    switch node.leaf {
    case .none: self = node.isInterior ? .container : .null
    case .bool(let value): self = .bool(value)
    case .number(let value): self = .number(value)
    case .bytes(let bytes): self = .bytes(bytes)
    case .text(let text): self = .string(text)
    }
  }

  /// The number of a text's UTF-8 bytes; nil for every other value.
  var byteCount: Int? {
    switch self {
    case .string(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    case .null, .bool, .number, .container: nil
    }
  }

  /// Calls `body` with the UTF-8 bytes of a text; returns nil for every other value.
  @inline(__always)
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    switch self {
    case .string(let text): Text.withBytes(text, body)
    case .bytes(let bytes): body(bytes.assumingMemoryBound(to: UInt8.self))
    case .null, .bool, .number, .container: nil
    }
  }

  /// The text as a `String`; nil for every other value.
  var string: String? {
    switch self {
    case .string(let text): text
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .null, .bool, .number, .container: nil
    }
  }

  /// Compares like `==` of the rules language: without conversions, and texts by code units.
  static func areEqual(_ a: Operand, _ b: Operand) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.bool(let x), .bool(let y)): return x == y
    case (.number(let x), .number(let y)): return x == y
    case (.string(let x), .string(let y)): return Text.areEqual(x, y)
    case (.string, .bytes), (.bytes, .string), (.bytes, .bytes):
      guard a.byteCount == b.byteCount else { return false }
      return a.withBytes { x in b.withBytes { y in Text.areEqual(x, y) } ?? false } ?? false
    default: return false
    }
  }
}

extension Value {
  /// Creates the same value with its text copied.
  init(_ operand: Operand) {
    switch operand {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let value): self = .number(value)
    case .string(let text): self = .string(text)
    case .bytes(let bytes): self = .string(String(decoding: bytes, as: UTF8.self))
    case .container: self = .container
    }
  }
}
