import HearthRules
import HearthTree

/// A sentence about a rules file that is true or not: `nobody can write /**`.
///
///     (nobody | no one) can (read | write) PATTERN
///     WHO (can | cannot) (read | write) PATTERN
///
/// The first kind says that no client is allowed to, signed in or not and whatever its claims are. WHO is `signed-out
/// people` (`auth` is null), `signed-in people` (with the claims that everybody can get), `anyone`, `other` (signed in,
/// and none of the users that the path names), `claim:NAME` or `claim:NAME=VALUE`. What `anyone` and `other` cannot do,
/// nobody who is signed out can do either; otherwise these words are about people who are signed in.
///
/// A pattern is a path from the root. `*` is any one key, `$name` any key that the rules leave open, `**` any number of
/// keys.
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
  /// The classes of users that it is about; nil for every client that there may be.
  package let identities: [ExposureIdentity]?
  /// It says that this can be done; otherwise that it cannot.
  package let isPermission: Bool
  /// What it is about.
  package let operation: ExposureOperation
  let pattern: [ExposurePattern.Part]

  /// Reads a sentence.
  package init(_ text: String) throws(Problem) {
    self.text = text
    var words = Words(text)
    (identities, isPermission, operation) = try Self.statement(&words)
    let (path, column) = try words.next("a path such as /rooms/*/messages or /**")
    pattern = try ExposurePattern.parts(path, column)
    if let (word, column) = words.rest {
      throw Problem(column: column, message: "'\(word)' is too much; a sentence ends with its path")
    }
  }

  private static func statement(
    _ words: inout Words
  ) throws(Problem) -> ([ExposureIdentity]?, Bool, ExposureOperation) {
    let who = try self.who(&words)
    let (isPermission, column) = try verb(&words)
    let (operation, operationColumn) = try words.next("'read' or 'write'")
    guard let operation = ExposureOperation(rawValue: operation) else {
      throw Problem(column: operationColumn, message: "'\(operation)' is neither 'read' nor 'write'")
    }
    switch who {
    case .noClient:
      guard isPermission else {
        throw Problem(
          column: column,
          message: "two negatives: say 'signed-out people cannot' of people who are signed out, or 'nobody can' of all")
      }
      return (nil, false, operation)
    case .people(let identity, let isLoose):
      // Who cannot do it signed in is not meant to do it signed out.
      return (isLoose && !isPermission ? [.nobody, identity] : [identity], isPermission, operation)
    }
  }

  /// - Returns: whether it can be done, and where the word for it stands.
  private static func verb(_ words: inout Words) throws(Problem) -> (Bool, Int) {
    let (verb, column) = try words.next("'can' or 'cannot'")
    switch verb {
    case "can": return (!words.skip(["not"]), column)
    case "cannot", "can't", "can’t": return (false, column)
    default: throw Problem(column: column, message: "'\(verb)' is neither 'can' nor 'cannot'")
    }
  }

  private enum Who {
    /// Neither signed in nor signed out.
    case noClient
    /// - Parameter isLoose: the word does not say whether people are signed in.
    case people(ExposureIdentity, isLoose: Bool)
  }

  private static func who(_ words: inout Words) throws(Problem) -> Who {
    let (word, column) = try words.next("who it is about: nobody, signed-out people, anyone, other or claim:NAME")
    let people = ["people", "users", "clients"]
    switch word {
    case "nobody": return .noClient
    case "no":
      let (one, column) = try words.next("'one' after 'no'")
      guard one == "one" else { throw Problem(column: column, message: "'\(one)' after 'no': say 'no one'") }
      return .noClient
    case "signed-out", "unauthenticated":
      _ = words.skip(people)
      return .people(.nobody, isLoose: false)
    case "signed-in", "authenticated":
      _ = words.skip(people)
      return .people(.anyone, isLoose: false)
    case "anyone": return .people(.anyone, isLoose: true)
    case "other": return .people(.other, isLoose: true)
    default: return .people(try holder(word, column), isLoose: false)
    }
  }

  private static func holder(_ word: String, _ column: Int) throws(Problem) -> ExposureIdentity {
    guard word.hasPrefix("claim:") else {
      throw Problem(
        column: column, message: "'\(word)' is not nobody, signed-out people, anyone, other or claim:NAME")
    }
    let claim = word.dropFirst("claim:".count).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let names = claim[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !$0.isEmpty }) else {
      throw Problem(
        column: column, message: "'\(word)' names no claim; write claim:admin, claim:role=editor or claim:a.b")
    }
    return .holder(names, claim.count > 1 ? value(String(claim[1])) : .bool(true))
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

    /// Goes on behind one of these words, if one is next.
    mutating func skip(_ expected: [String]) -> Bool {
      guard index < words.count, expected.contains(words[index].text) else { return false }
      index += 1
      return true
    }

    var rest: (text: String, column: Int)? { index < words.count ? words[index] : nil }
  }
}
