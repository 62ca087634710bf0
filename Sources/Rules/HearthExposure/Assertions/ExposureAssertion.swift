import HearthRules
import HearthTree

/// An assertion about a rules file, such as `nobody can write /**`.
///
///     (nobody | no one) can (read | write) PATTERN
///     WHO (can | cannot) (read | write) PATTERN
///
/// The first form states that the operation is denied to every client, signed in or not, with any claims. WHO is
/// `signed-out people` (`auth` is null), `signed-in people` (with the claims that every user can get), `anyone`,
/// `other` (signed in, and none of the users that the path names), `claim:NAME` or `claim:NAME=VALUE`. `cannot` with
/// `anyone` or `other` includes signed-out clients; otherwise these words mean signed-in users.
///
/// A pattern is a path from the root. `*` matches any one key, `$name` any key that the rules match with a wildcard,
/// `**` any number of keys.
package struct ExposureAssertion: Sendable {
  /// A syntax error in an assertion, with its column.
  package struct Problem: Error, Sendable, Equatable {
    /// The column of the error, counted from 1 in characters.
    package var column: Int
    /// A description of the error and of its correction.
    package var message: String
  }

  /// The assertion as it was written.
  package let text: String
  /// The classes of users to which it applies; nil for every client.
  package let identities: [ExposureIdentity]?
  /// True when it states that the operation is possible; false when it states that it is not.
  package let isPermission: Bool
  /// The operation of the assertion.
  package let operation: ExposureOperation
  let pattern: [ExposurePattern.Part]

  /// Parses an assertion.
  package init(_ text: String) throws(Problem) {
    self.text = text
    var words = Words(text)
    (identities, isPermission, operation) = try Self.statement(&words)
    let (path, column) = try words.next("a path such as /rooms/*/messages or /**")
    pattern = try ExposurePattern.parts(path, column)
    if let (word, column) = words.rest {
      throw Problem(column: column, message: "unexpected '\(word)'; a sentence ends with its path")
    }
  }

  private static func statement(
    _ words: inout Words
  ) throws(Problem) -> ([ExposureIdentity]?, Bool, ExposureOperation) {
    let subject = try self.subject(&words)
    let (isPermission, column) = try verb(&words)
    let (operation, operationColumn) = try words.next("'read' or 'write'")
    guard let operation = ExposureOperation(rawValue: operation) else {
      throw Problem(column: operationColumn, message: "'\(operation)' is neither 'read' nor 'write'")
    }
    switch subject {
    case .noClient:
      guard isPermission else {
        throw Problem(
          column: column,
          message:
            "two negatives: write 'signed-out people cannot' for signed-out clients, or 'nobody can' for all clients")
      }
      return (nil, false, operation)
    case .people(let identity, let isLoose):
      // When signed-in users cannot do an operation, signed-out clients must not be able to either.
      return (isLoose && !isPermission ? [.signedOut, identity] : [identity], isPermission, operation)
    }
  }

  /// Reads `can` or `cannot`.
  ///
  /// - Returns: True for `can`, and the column of the word.
  private static func verb(_ words: inout Words) throws(Problem) -> (Bool, Int) {
    let (verb, column) = try words.next("'can' or 'cannot'")
    switch verb {
    case "can": return (!words.skip(["not"]), column)
    case "cannot", "can't", "can’t": return (false, column)
    default: throw Problem(column: column, message: "'\(verb)' is neither 'can' nor 'cannot'")
    }
  }

  private enum Subject {
    /// All clients, signed in or not.
    case noClient
    /// The users of a class.
    ///
    /// - Parameter isLoose: True when the word does not state whether the users are signed in.
    case people(ExposureIdentity, isLoose: Bool)
  }

  private static func subject(_ words: inout Words) throws(Problem) -> Subject {
    let (word, column) = try words.next("a subject: nobody, signed-out people, anyone, other or claim:NAME")
    let people = ["people", "users", "clients"]
    switch word {
    case "nobody": return .noClient
    case "no":
      let (one, column) = try words.next("'one' after 'no'")
      guard one == "one" else { throw Problem(column: column, message: "'\(one)' after 'no': write 'no one'") }
      return .noClient
    case "signed-out", "unauthenticated":
      _ = words.skip(people)
      return .people(.signedOut, isLoose: false)
    case "signed-in", "authenticated":
      _ = words.skip(people)
      return .people(.signedIn, isLoose: false)
    case "anyone": return .people(.signedIn, isLoose: true)
    case "other": return .people(.otherUser, isLoose: true)
    default: return .people(try holder(word, column), isLoose: false)
    }
  }

  private static func holder(_ word: String, _ column: Int) throws(Problem) -> ExposureIdentity {
    guard word.hasPrefix("claim:") else {
      throw Problem(
        column: column,
        message: "unknown subject '\(word)'; write nobody, signed-out people, anyone, other or claim:NAME")
    }
    let claim = word.dropFirst("claim:".count).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let names = claim[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard names.allSatisfy({ !$0.isEmpty }) else {
      throw Problem(
        column: column, message: "'\(word)' is not a claim; write claim:admin, claim:role=editor or claim:a.b")
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
      guard index < words.count else { throw Problem(column: end, message: "expected \(expected)") }
      index += 1
      return words[index - 1]
    }

    /// Skips the next word if it is one of the expected ones; false when it is not.
    mutating func skip(_ expected: [String]) -> Bool {
      guard index < words.count, expected.contains(words[index].text) else { return false }
      index += 1
      return true
    }

    var rest: (text: String, column: Int)? { index < words.count ? words[index] : nil }
  }
}
