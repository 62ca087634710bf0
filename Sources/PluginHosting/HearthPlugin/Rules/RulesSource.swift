/// A file of another language that is to be turned into rules.
public struct RulesSource: Sendable, Codable, Equatable {
  /// The file's name, without its folder: `app.bolt`.
  public var fileName: String
  /// All of it, 1 MiB at most.
  public var text: String

  /// A file with its text.
  public init(fileName: String, text: String) {
    self.fileName = fileName
    self.text = text
  }
}

/// What came of a ``RulesSource``.
///
/// As JSON `{"rules":"…","map":[[0,1,1,4]]}`, or `{"mistakes":[{"line":1,"column":1,"message":"…"}]}`.
public enum RulesSourceAnswer: Sendable, Equatable {
  /// A rules file. It is checked like one that was written by hand.
  case rules(TranslatedRules)
  /// The file says something that the language does not have: at least one mistake, in order. Of more than a hundred the
  /// first are shown.
  case mistakes([RulesSourceMistake])
}

/// A rules file that was made of a file of another language, and what each part of it was made of.
public struct TranslatedRules: Sendable, Codable, Equatable {
  /// The rules file: an object with the member `rules`. With the file it was made of and the map it has 1 MiB at most.
  public var rules: String
  /// Parts of ``rules``, in any order. A part reaches to the next one; what is before the first one comes from nowhere. The
  /// part at a rule's opening quote says where the rule is from, those inside of it where its parts are from.
  public var map: [RulesSourcePart]

  /// Rules with their map.
  public init(rules: String, map: [RulesSourcePart]) {
    self.rules = rules
    self.map = map
  }
}

/// What a part of a rules file was made of. As JSON four numbers: `[offset, line, column, width]`.
public struct RulesSourcePart: Sendable, Equatable {
  /// The byte of the rules file, in UTF-8, that the part begins at.
  public var offset: Int
  /// The line of the author's file, from 1.
  public var line: Int
  /// From 1, in UTF-16 units.
  public var column: Int
  /// UTF-16 units of that line.
  public var width: Int

  /// A part at that byte, made of that place.
  public init(offset: Int, line: Int, column: Int, width: Int) {
    self.offset = offset
    self.line = line
    self.column = column
    self.width = width
  }
}

/// What is wrong at a place of the author's file.
public struct RulesSourceMistake: Sendable, Codable, Equatable {
  /// From 1.
  public var line: Int
  /// From 1, in UTF-16 units.
  public var column: Int
  /// One sentence.
  public var message: String
  /// How to mend it, in one sentence.
  public var help: String?

  /// A mistake at that place.
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
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "neither rules nor mistakes, or both"))
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
