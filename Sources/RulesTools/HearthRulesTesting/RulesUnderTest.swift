import HearthProgram
import HearthRules
import HearthTree
import HearthWorkbench
import Synchronization
import Testing

/// A rules file and a database for Swift Testing.
///
/// ```swift
/// @Test func strangersStayOut() throws {
///   let rules = try RulesUnderTest(file: "database.rules.json", data: ["rooms": ["r1": ["members": ["alice": true]]]])
///   #expect(rules.allows(.read("/rooms/r1"), as: .user("alice")))
///   #expect(rules.denies(.read("/rooms/r1"), as: .user("bob", claims: ["role": "editor"])))
///   #expect(rules.performs(.write("/rooms/r1/messages/m1", ["text": "hi", "at": .timestamp]), as: .user("alice")))
/// }
/// ```
///
/// A failed expectation shows every rule that was evaluated, with the values of its parts. Create one instance for each
/// test, because it shows its last decision. No server and no clock is used.
public final class RulesUnderTest: Sendable {
  private struct State {
    var root: Node
    var nowMilliseconds: Int64
    var last: RulesVerdict?
  }

  private let rules: RuleSet
  private let file: String
  private let state: Mutex<State>

  /// Loads rules from a file, relative to the folder in which the tests run; `swift test` runs them in that of the
  /// package.
  ///
  /// - Parameters:
  /// - data: The content of the database.
  /// - nowMilliseconds: The current time, since 1970; by default, the first day of 2026.
  /// - Throws: ``RulesTestingError`` for a file that cannot be read or has mistakes, each with its position, and for
  ///   data that cannot be stored.
  public convenience init(
    file: String, data: TestValue = nil, nowMilliseconds: Int64 = RulesUnderTest.nowMillisecondsDefault
  ) throws {
    let text: String
    do { text = try TextFile.read(file) } catch { throw RulesTestingError("\(error)") }
    try self.init(source: text, named: file, data: data, nowMilliseconds: nowMilliseconds)
  }

  /// Compiles rules from a text; `named` is the file's name in messages.
  ///
  /// - Throws: ``RulesTestingError`` for mistakes in the rules, each with its position, and for data that cannot be
  ///   stored.
  public init(
    source: String, named file: String = "rules", data: TestValue = nil,
    nowMilliseconds: Int64 = RulesUnderTest.nowMillisecondsDefault
  ) throws {
    do { rules = try RuleSet.compile(source, keepsExpressions: true) } catch {
      throw RulesTestingError(error.rendered(file: file))
    }
    self.file = file
    let root = try data.writeValue().resolved(existing: .empty, nowMilliseconds: nowMilliseconds)
    state = Mutex(State(root: root, nowMilliseconds: nowMilliseconds))
  }

  /// The first day of 2026, in milliseconds since 1970.
  public static let nowMillisecondsDefault: Int64 = 1_767_225_600_000

  /// The current time: the rules' `now`, and the value of timestamps.
  public var nowMilliseconds: Int64 {
    get { state.withLock { $0.nowMilliseconds } }
    set { state.withLock { $0.nowMilliseconds = newValue } }
  }

  /// Replaces all data of the database, without evaluating rules.
  ///
  /// - Throws: ``RulesTestingError`` for data that cannot be stored.
  public func setData(_ data: TestValue) throws {
    let value = try data.writeValue()
    state.withLock { $0.root = value.resolved(existing: .empty, nowMilliseconds: $0.nowMilliseconds) }
  }

  // MARK: Decisions

  /// Returns true when the rules allow the request. The database stays unchanged.
  ///
  /// A request that the server would refuse before it evaluates rules, such as one of an invalid path, is recorded as
  /// an issue of the test, and is neither allowed nor denied.
  public func allows(
    _ request: TestRequest, as user: TestUser = .nobody, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Bool {
    ask(request, user, performs: false, sourceLocation)?.isAllowed == true
  }

  /// Returns true when the rules deny the request. The database stays unchanged.
  public func denies(
    _ request: TestRequest, as user: TestUser = .nobody, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Bool {
    ask(request, user, performs: false, sourceLocation)?.isAllowed == false
  }

  /// Returns true when the rules allow the request; it is then performed, and changes the database for later requests.
  public func performs(
    _ request: TestRequest, as user: TestUser = .nobody, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Bool {
    ask(request, user, performs: true, sourceLocation)?.isAllowed == true
  }

  /// Returns the verdict of the rules, with an explanation. The database stays unchanged.
  ///
  /// - Throws: ``RulesTestingError`` for a request that the server would refuse before it evaluates rules.
  public func verdict(of request: TestRequest, as user: TestUser = .nobody) throws -> RulesVerdict {
    try decide(request, user, performs: false)
  }

  private func ask(
    _ request: TestRequest, _ user: TestUser, performs: Bool, _ sourceLocation: SourceLocation
  ) -> RulesVerdict? {
    do { return try decide(request, user, performs: performs) } catch {
      Issue.record("\(error)", sourceLocation: sourceLocation)
      return nil
    }
  }

  private func decide(_ request: TestRequest, _ user: TestUser, performs: Bool) throws -> RulesVerdict {
    let (asked, auth) = (try request.offline(), try user.auth())
    let (root, now) = state.withLock { ($0.root, $0.nowMilliseconds) }
    let prepared: RulesRequest
    do {
      prepared = try asked.prepared(on: root, auth: auth, nowMilliseconds: now)
    } catch {
      throw RulesTestingError("the server refuses this before it evaluates a rule: \(error.message)")
    }
    let verdict: RulesVerdict
    if user.isAdministrator {
      verdict = RulesVerdict(isAllowed: true, explanation: "an administrator is not subject to rules")
    } else {
      let decision = rules.decide(prepared, detail: .trace)
      let explanation = Explanation(operation: asked.word, path: asked.path, decision: decision)
      verdict = RulesVerdict(isAllowed: decision.isAllowed, explanation: explanation.rendered(file: file))
    }
    state.withLock { state in
      if performs, verdict.isAllowed { state.root = prepared.newRoot }
      state.last = verdict
    }
    return verdict
  }
}

extension RulesUnderTest: CustomTestStringConvertible {
  /// The last verdict, which a failed expectation shows.
  public var testDescription: String {
    state.withLock { $0.last?.explanation } ?? "rules of \(file)"
  }
}

/// The decision of rules on a request.
public struct RulesVerdict: Sendable, CustomTestStringConvertible {
  /// True when the request is allowed.
  public var isAllowed: Bool
  /// The explanation: every rule that was evaluated, the values of its parts, and the part that decided.
  public var explanation: String

  /// The explanation, which a failed expectation shows.
  public var testDescription: String { explanation }
}

/// An error for invalid rules, data or requests.
public struct RulesTestingError: Error, Sendable, CustomStringConvertible {
  /// A description of the error, with its position if there is one.
  public var description: String

  init(_ description: String) { self.description = description }
}
