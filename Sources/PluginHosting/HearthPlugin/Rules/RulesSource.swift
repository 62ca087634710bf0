/// A file of another language that is to be translated into rules.
public struct RulesSource: Sendable, Codable, Equatable {
  /// The file's name, without its folder: `app.bolt`.
  public var fileName: String
  /// The whole content, 1 MiB at most.
  public var text: String

  /// Creates a file with its text.
  public init(fileName: String, text: String) {
    self.fileName = fileName
    self.text = text
  }
}

/// The result of translating a ``RulesSource``.
///
/// As JSON `{"rules":"…","map":[[0,1,1,4]]}`, or `{"mistakes":[{"line":1,"column":1,"message":"…"}]}`.
public enum RulesSourceAnswer: Sendable, Equatable {
  /// A rules file. It is checked like one that was written by hand.
  case rules(TranslatedRules)
  /// The mistakes in the file: at least one, in order. Of more than a hundred the first are shown.
  case mistakes([RulesSourceMistake])
}

/// A rules file translated from a file of another language, with a source map.
public struct TranslatedRules: Sendable, Codable, Equatable {
  /// The rules file: an object with the member `rules`. It, its source file and the map have 1 MiB at most together.
  public var rules: String
  /// The source map: parts of ``rules``, in any order. A part reaches to the next one; text before the first part has
  /// no source. The part at a rule's opening quote gives the rule's source, those inside of it the sources of its
  /// parts.
  public var map: [RulesSourcePart]

  /// Creates rules with their map.
  public init(rules: String, map: [RulesSourcePart]) {
    self.rules = rules
    self.map = map
  }
}

/// The source position of a part of a rules file. As JSON four numbers: `[offset, line, column, width]`.
public struct RulesSourcePart: Sendable, Equatable {
  /// The part's first byte in the rules file, in UTF-8.
  public var offset: Int
  /// The line of the source file, from 1.
  public var line: Int
  /// The column, from 1, in UTF-16 units.
  public var column: Int
  /// The width, in UTF-16 units of that line.
  public var width: Int

  /// Creates a part at the given byte, from the given source position.
  public init(offset: Int, line: Int, column: Int, width: Int) {
    self.offset = offset
    self.line = line
    self.column = column
    self.width = width
  }
}

/// A mistake at a position of the source file.
public struct RulesSourceMistake: Sendable, Codable, Equatable {
  /// The line, from 1.
  public var line: Int
  /// The column, from 1, in UTF-16 units.
  public var column: Int
  /// The mistake in one sentence.
  public var message: String
  /// The correction in one sentence.
  public var help: String?

  /// Creates a mistake at the given position.
  public init(line: Int, column: Int, message: String, help: String? = nil) {
    self.line = line
    self.column = column
    self.message = message
    self.help = help
  }
}

extension RulesSourcePart: Codable {
  public init(from decoder: any Decoder) throws {
    var numbers = try decoder.unkeyedContainer()
    offset = try numbers.decode(Int.self)
    line = try numbers.decode(Int.self)
    column = try numbers.decode(Int.self)
    width = try numbers.decode(Int.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var numbers = encoder.unkeyedContainer()
    try numbers.encode(offset)
    try numbers.encode(line)
    try numbers.encode(column)
    try numbers.encode(width)
  }
}

extension RulesSourceAnswer: Codable {
  private enum Key: String, CodingKey { case rules, mistakes }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch (container.contains(.rules), container.contains(.mistakes)) {
    case (true, false): self = .rules(try TranslatedRules(from: decoder))
    case (false, true):
      let mistakes = try container.decode([RulesSourceMistake].self, forKey: .mistakes)
      guard !mistakes.isEmpty else {
        throw DecodingError.dataCorruptedError(forKey: .mistakes, in: container, debugDescription: "must not be empty")
      }
      self = .mistakes(mistakes)
    default:
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "must have either rules or mistakes"))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .rules(let rules): try rules.encode(to: encoder)
    case .mistakes(let mistakes):
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(mistakes, forKey: .mistakes)
    }
  }
}
