import Foundation
import Testing

/// A ratchet on the language of comments, names and guides: a change that makes a figure worse fails, and the limits
/// are lowered when a figure improves.
///
/// Comments are the lines that begin with `//`, `///`, `/**` or `*` in Swift and TypeScript files. A doc comment opens
/// with an article, a noun or a verb in the third person, so the test knows the words that open none of these.
@Suite struct LanguageTests {
  /// The bounds of one part of the checkout.
  struct Bounds: Sendable {
    var folder: String
    /// Doc comments of 1,000 that open with a question word.
    var questionOpenings: Double
    /// Doc comments of 1,000 that open neither with an article or noun nor with a verb, question words included.
    var wrongOpenings: Double
    /// Indefinite persons in 1,000 words of comments.
    var persons: Double
  }

  static let comments: [Bounds] = [
    Bounds(folder: "Sources", questionOpenings: 2, wrongOpenings: 20, persons: 0.2),
    Bounds(folder: "Tests", questionOpenings: 2, wrongOpenings: 20, persons: 0.2),
    Bounds(folder: "Plugins", questionOpenings: 2, wrongOpenings: 20, persons: 0.2),
  ]

  @Test("comments open with an article, noun or verb, and speak of roles", arguments: LanguageTests.comments)
  func opensAndSpeaks(bounds: Bounds) throws {
    let figures = try LanguageFigures(ofCommentsBelow: bounds.folder)
    #expect(figures.questionOpenings <= bounds.questionOpenings, "\(figures.examples)")
    #expect(figures.wrongOpenings <= bounds.wrongOpenings, "\(figures.examples)")
    #expect(figures.persons <= bounds.persons, "\(figures.people)")
  }

  /// The most indefinite persons in 1,000 words of the guides and the README.
  static let guidePersonsMax = 0.8

  @Test func `guides speak of roles`() throws {
    var figures = LanguageFigures()
    for path in Project.files(below: "Sources/Guide", ending: ".md") + ["README.md"] {
      figures.addProse(try Project.text(path), of: path)
    }
    #expect(figures.persons <= Self.guidePersonsMax, "\(figures.people)")
  }

  /// Endings of type names that other projects do not use for these things.
  static let retiredSuffixes = [
    "Desk", "Care", "Sight", "Look", "Looks", "Seat", "Roll", "Surroundings", "Office", "Errands", "Lapses", "Border",
    "Print", "Door", "DoorList", "Held", "Tell", "Tells", "Ask", "Asks", "Meant", "Doing", "Doings",
  ]

  /// Existing types with such an ending.
  static let retiredNames: Set<String> = []

  @Test func `types are named by the field's nouns`() throws {
    let targets = Manifest.shared.targets.filter { !$0.isShim }
    let names = Set(try Self.modulesByType(in: targets, isNested: true).keys)
    let found = names.filter { name in Self.retiredSuffixes.contains { name.hasSuffix($0) } }
    #expect(found.subtracting(Self.retiredNames).isEmpty)
    #expect(Self.retiredNames.isSubset(of: found), "a name that is gone leaves the list")
  }

  /// Names of types that two modules declare at the top level of a file.
  static let sharedNamesMax = 2

  @Test func `a type's name is declared in one module`() throws {
    let shared = try Self.modulesByType(in: Manifest.sources).filter { $0.value.count > 1 }
    #expect(shared.count <= Self.sharedNamesMax, "\(shared.keys.sorted())")
  }

  private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]

  /// Returns the targets that declare each type.
  ///
  /// - Parameter isNested: True to include types in others.
  private static func modulesByType(
    in targets: [Manifest.Target], isNested: Bool = false
  ) throws -> [String: Set<String>] {
    var modules: [String: Set<String>] = [:]
    for target in targets {
      for path in target.files {
        for text in try Project.text(path).split(separator: "\n") {
          let line = isNested ? text.drop { $0 == " " } : text
          guard let first = line.utf8.first, first != 0x20, first != 0x2f, first != 0x7d else { continue }
          let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
          guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count,
            words[kind + 1].first?.isUppercase == true, words[..<kind].allSatisfy({ $0.first?.isLowercase == true })
          else { continue }
          modules[String(words[kind + 1]), default: []].insert(target.name)
        }
      }
    }
    return modules
  }
}

/// The language of some texts, counted.
struct LanguageFigures {
  private var openingCount = 0
  private var questionCount = 0
  private var wrongCount = 0
  private var wordCount = 0
  private var personCount = 0
  /// Some wrong openings, with their files.
  private(set) var examples: [String] = []
  /// The files with indefinite persons.
  private(set) var people: [String: Int] = [:]

  var questionOpenings: Double { 1_000 * Double(questionCount) / Double(max(1, openingCount)) }
  var wrongOpenings: Double { 1_000 * Double(wrongCount) / Double(max(1, openingCount)) }
  var persons: Double { 1_000 * Double(personCount) / Double(max(1, wordCount)) }

  init() {}

  init(ofCommentsBelow folder: String) throws {
    for ending in [".swift", ".ts", ".tsx"] {
      for path in Project.files(below: folder, ending: ending) { addComments(try Project.text(path), of: path) }
    }
  }

  private static let questionWords: Set = [
    "what", "who", "whom", "whose", "which", "where", "when", "whether", "how", "why", "whoever", "whatever",
  ]

  /// First words of comments that open neither with an article or noun nor with a verb.
  private static let wrongWords: Set = [
    "also", "as", "at", "because", "before", "by", "for", "from", "he", "here", "if", "in", "instead", "it", "its",
    "like",
    "neither", "never", "not", "nothing", "of", "only", "otherwise", "she", "since", "so", "than", "that", "their",
    "them", "then", "there", "these", "they", "this", "those", "though", "to", "under", "unless", "until", "with",
    "without", "you",
  ]

  private static let indefinitePersons: Set = [
    "nobody", "somebody", "whoever", "anybody", "everybody", "someone", "anyone", "everyone",
  ]

  private mutating func addComments(_ source: String, of path: String) {
    var isInside = false
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      let code = line.drop { $0 == " " }
      let isBlock = code.hasPrefix("/**") || code.hasPrefix("* ")
      guard code.hasPrefix("//") || isBlock else {
        isInside = false
        continue
      }
      let isDoc = code.hasPrefix("///") || code.hasPrefix("/**")
      let text = code.drop { $0 == "/" || $0 == "*" }.drop { $0 == " " }
      if isDoc, !isInside, let first = text.first, first != "-", first != "|" { addOpening(text, of: path) }
      isInside = code.hasPrefix("///") || isBlock
      addWords(text, of: path)
    }
  }

  mutating func addProse(_ text: String, of path: String) {
    var isCode = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else if !isCode {
        addWords(line, of: path)
      }
    }
  }

  private mutating func addOpening(_ text: Substring, of path: String) {
    openingCount += 1
    let first = text.prefix { $0.isLetter || $0 == "'" }.lowercased()
    let isQuestion = Self.questionWords.contains(first)
    guard isQuestion || Self.wrongWords.contains(first) else { return }
    questionCount += isQuestion ? 1 : 0
    wrongCount += 1
    if examples.count < 20 { examples.append("\(path): \(text)") }
  }

  private mutating func addWords(_ text: Substring, of path: String) {
    for word in text.split(separator: " ") {
      wordCount += 1
      guard let last = word.utf8.last else { continue }
      let isPlain = (0x61...0x7a).contains(last) || (0x41...0x5a).contains(last)
      let letters = isPlain ? word : word.prefix { $0.isLetter }
      guard (6...9).contains(letters.utf8.count), Self.indefinitePersons.contains(letters.lowercased()) else {
        continue
      }
      personCount += 1
      people[path, default: 0] += 1
    }
  }
}
