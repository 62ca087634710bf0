import HearthTree

/// A value as a trace shows it: bounded, whatever the data holds.
public indirect enum TracedValue: Sendable, Equatable {
  /// `null`, and what is not there.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number.
  case number(Double)
  /// A text, or its beginning, and how many bytes of UTF-8 all of it has.
  case text(String, sizeBytes: Int)
  /// What `val()` gives for a node with children.
  case container
  /// A list or an object below `auth`: its JSON, or the beginning of it.
  case claim(String)
  /// A place of the database, what is there, and whether that is after the write.
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

  /// What a rule sees of a node when it asks for its value.
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

  /// As much of a text as a trace shows.
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
  /// As one would write it in a rule; for a snapshot its place and what is there.
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

  /// On one line, and nothing that speaks to a terminal.
  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.write(JSON.string(text))
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
