import HearthRules
import HearthTree

/// A sentence about a rules file that is true or not: `nobody can write /**`.
///
///     WHO (can | cannot) (read | write) PATTERN
///
/// WHO is `nobody` (who is signed out), `anyone` (signed in), `other` (signed in, and none of the users that the path
/// names), `claim:NAME` or `claim:NAME=VALUE`, or `no one` (nobody, anyone and every holder of a claim that the file
/// names). After `nobody` and `no one`, `can` says that they cannot.
///
/// A pattern is a path from the root. `*` is any one key, `$name` any key that the rules leave open, `**` any number of keys.
package struct ExposureAssertion: Sendable {
  /// What is wrong with a sentence, and where.
  package struct Problem: Error, Sendable, Equatable {
    /// From 1, in characters of the sentence.
    package var column: Int
    /// What is wrong there and what belongs there.
    package var message: String
  }

  /// As it was written.
  package let text: String
  /// Who it is about; nil for no one.
  package let identity: ExposureIdentity?
  /// It says that this can be done; otherwise that it cannot.
  package let isPermission: Bool
  /// What it is about.
  package let operation: ExposureOperation
  let pattern: [ExposurePattern.Part]

  /// Reads a sentence.
  package init(_ text: String) throws(Problem) {
    self.text = text
    var words = Words(text)
    (identity, isPermission, operation) = try Self.statement(&words)
    let (path, column) = try words.next("a path such as /rooms/*/messages or /**")
    pattern = try ExposurePattern.parts(path, column)
    if let (word, column) = words.rest {
      throw Problem(column: column, message: "'\(word)' is too much; a sentence ends with its path")
    }
  }

  private static func statement(
    _ words: inout Words
  ) throws(Problem) -> (ExposureIdentity?, Bool, ExposureOperation) {
    let (who, isDenial) = try self.who(&words)
    let (verb, verbColumn) = try words.next("'can' or 'cannot'")
    guard verb == "can" || verb == "cannot" else {
      throw Problem(column: verbColumn, message: "'\(verb)' is neither 'can' nor 'cannot'")
    }
    let (operation, column) = try words.next("'read' or 'write'")
    guard let operation = ExposureOperation(rawValue: operation) else {
      throw Problem(column: column, message: "'\(operation)' is neither 'read' nor 'write'")
    }
    return (who, verb == "can" && !isDenial, operation)
  }

  /// Who, and whether the word says no by itself.
  private static func who(_ words: inout Words) throws(Problem) -> (ExposureIdentity?, Bool) {
    let (word, column) = try words.next("who it is about: nobody, no one, anyone, other or claim:NAME")
    switch word {
    case "nobody": return (.nobody, true)
    case "anyone": return (.anyone, false)
    case "other": return (.other, false)
    case "no":
      let (one, column) = try words.next("'one' after 'no'")
      guard one == "one" else { throw Problem(column: column, message: "'\(one)' after 'no': say 'no one'") }
      return (nil, true)
    default: break
    }
    guard word.hasPrefix("claim:") else {
      throw Problem(column: column, message: "'\(word)' is not nobody, no one, anyone, other or claim:NAME")
    }
    let claim = word.dropFirst("claim:".count).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let names = claim[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !$0.isEmpty }) else {
      throw Problem(
        column: column, message: "'\(word)' names no claim; write claim:admin, claim:role=editor or claim:a.b")
    }
    return (.holder(names, claim.count > 1 ? value(String(claim[1])) : .bool(true)), false)
  }

  private static func value(_ text: String) -> Scalar {
    switch text {
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      if let number = Int64(text) { return .int(number) }
      if let number = Double(text), number.isFinite { return .double(number) }
      return .string(text)
    }
  }

  /// The words of a sentence, with their columns.
  private struct Words {
    private var words: [(text: String, column: Int)] = []
    private var index = 0
    private let end: Int

    init(_ text: String) {
      var word = ""
      var column = 0
      for character in text {
        column += 1
        if character.isWhitespace {
          if !word.isEmpty { words.append((word, column - word.count)) }
          word = ""
        } else {
          word.append(character)
        }
      }
      if !word.isEmpty { words.append((word, column + 1 - word.count)) }
      end = column + 1
    }

    mutating func next(_ expected: String) throws(Problem) -> (text: String, column: Int) {
      guard index < words.count else { throw Problem(column: end, message: "here belongs \(expected)") }
      index += 1
      return words[index - 1]
    }

    var rest: (text: String, column: Int)? { index < words.count ? words[index] : nil }
  }
}
