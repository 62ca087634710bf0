import HearthEngine
import HearthTree

/// A file of cases for a rules file.
package struct RulesTestFile: Sendable {
  /// The file's text and name, for messages.
  package var document: DocumentText
  /// The path of the rules file that the test file names, relative to its folder, with the offset of the path; nil when
  /// it names none.
  package var rules: (path: String, place: TextOffset)?
  /// The content of the database for cases without their own data.
  package var data: Node
  /// The cases in the order of the file.
  package var cases: [RulesTestCase]
}

/// A test case: requests that are made one after another, with the expected decision on each.
package struct RulesTestCase: Sendable {
  /// The name in the report.
  package var name: String
  /// The offset at which it begins.
  package var place: TextOffset
  /// The content of the database at its beginning; nil for the file's data.
  package var data: Node?
  /// The steps, at least one. An allowed write changes the data for the next steps.
  package var steps: [RulesTestStep]
}

/// A request, with the expected decision.
package struct RulesTestStep: Sendable {
  /// The request in words: `alice reads /rooms/r1`.
  package var label: String
  /// The offset at which it begins.
  package var place: TextOffset
  /// The client that makes the request.
  package var user: RulesTestUser
  /// The request.
  package var request: ProposedRequest
  /// The time of the request, for `now` and for timestamps.
  package var nowMilliseconds: Int64
  /// True when the rules must allow it.
  package var isAllowed: Bool
  /// The rule that must have decided; nil for any.
  package var decider: ExpectedRule?
}

/// A client that makes requests.
package struct RulesTestUser: Sendable {
  /// The user's name in the file.
  package var name: String
  /// The `auth` of rules; nil when signed out.
  package var auth: JSON?
  /// True for an administrator, whose requests bypass rules.
  package var isAdministrator = false

  /// A signed-out client: rules see `auth` as null.
  package static let signedOut = RulesTestUser(name: "nobody", auth: nil)
}

/// The rule that must decide: `/rooms/$room/.write`, or no rule.
package struct ExpectedRule: Sendable, Equatable {
  /// The name of the rule, see ``name(of:)``; nil when the path has no rule.
  package var name: String?
}
