import HearthTree

/// A value in a trace, of limited size.
public indirect enum TracedValue: Sendable, Equatable {
  /// The value `null`, or an empty node.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number.
  case number(Double)
  /// A text, or its beginning, with the size of the whole text in UTF-8 bytes.
  case text(String, sizeBytes: Int)
  /// The `val()` of a node with children.
  case container
  /// A list or an object below `auth`: its JSON, or the beginning of the JSON.
  case claim(String)
  /// A location of the database with its value, which is that after the write when `isAfter` is true.
  case snapshot(Path, isAfter: Bool, TracedValue)
}

extension TracedValue {
  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let value): self = .number(value)
    case .string(let text): self.init(text: text)
    case .container: self = .container
    }
  }

  /// Creates the `val()` of a node.
  init(_ node: Node) { self.init(node.isInterior ? .container : Value(node.scalar)) }

  init(_ claim: JSON) {
    switch claim {
    case .array, .object:
      var writer = JSONWriter()
      writer.write(claim)
      self = .claim(Self.beginning(of: String(decoding: writer.bytes, as: UTF8.self)))
    default: self.init(Value(claim))
    }
  }

  init(text: String) { self = .text(Self.beginning(of: text), sizeBytes: text.utf8.count) }

  init(isAfter: Bool, _ keys: [Key], _ node: Node) {
    let path = Path(keys.prefix(DataLimits.depthMax).map { Key(Self.beginning(of: $0.text)) })
    self = .snapshot(path, isAfter: isAfter, TracedValue(node))
  }

  /// Returns the beginning of a text, up to the limit of a trace.
  static func beginning(of text: String) -> String {
    guard text.utf8.count > RulesLimits.traceTextBytesMax else { return text }
    var (beginning, count) = (String.UnicodeScalarView(), 0)
    for scalar in text.unicodeScalars {
      count += UTF8.width(scalar)
      if count > RulesLimits.traceTextBytesMax { break }
      beginning.append(scalar)
    }
    return String(beginning)
  }
}

extension TracedValue: CustomStringConvertible {
  /// The value in the syntax of rules; for a snapshot, its path and its value.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value): NumberText.of(value)
    case .text(let text, let sizeBytes):
      Self.quoted(text) + (text.utf8.count < sizeBytes ? "… (\(sizeBytes) bytes)" : "")
    case .container: "{…}"
    case .claim(let text): text
    case .snapshot(let path, let isAfter, let value): "\(path)\(isAfter ? " after the write" : ""): \(value)"
    }
  }

  /// Returns a text on one line, without control characters.
  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.write(JSON.string(text))
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
