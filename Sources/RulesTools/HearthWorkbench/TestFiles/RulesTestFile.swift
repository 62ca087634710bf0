import HearthEngine
import HearthTree

/// A file of cases for a rules file.
package struct RulesTestFile: Sendable {
  /// The file's text and name, for messages.
  package var document: DocumentText
  /// The rules file that it names, relative to its own folder, and where it names it; nil when it names none.
  package var rules: (path: String, place: TextPlace)?
  /// What is in the database when a case begins that brings no data of its own.
  package var data: Node
  /// In the order of the file.
  package var cases: [RulesTestCase]
}

/// Requests that are made one after the other, and what the rules must answer to each.
package struct RulesTestCase: Sendable {
  /// What the report calls it.
  package var name: String
  /// The place where it begins.
  package var place: TextPlace
  /// What is in the database when it begins; nil for the file's data.
  package var data: Node?
  /// At least one. An allowed write changes what the next steps find.
  package var steps: [RulesTestStep]
}

/// One request, and what the rules must answer.
package struct RulesTestStep: Sendable {
  /// What is asked, in words: `alice reads /rooms/r1`.
  package var label: String
  /// The place where it begins.
  package var place: TextPlace
  /// Who asks.
  package var user: RulesTestUser
  /// What is asked.
  package var request: ProposedRequest
  /// When, for `now` and for timestamps.
  package var nowMilliseconds: Int64
  /// True when the rules must allow it.
  package var isAllowed: Bool
  /// Which rule must have decided; nil when any may.
  package var decider: ExpectedRule?
}

/// Somebody who asks.
package struct RulesTestUser: Sendable {
  /// How the file calls them.
  package var name: String
  /// What rules see as `auth`; nil when signed out.
  package var auth: JSON?
  /// Rules are not asked.
  package var isAdministrator = false

  /// Nobody: rules see `auth` as null.
  package static let signedOut = RulesTestUser(name: "nobody", auth: nil)
}

/// The rule that must decide: `/rooms/$room/.write`, or none at all.
package struct ExpectedRule: Sendable, Equatable {
  /// As ``Decision`` names it, see ``name(of:)``; nil when no rule stands on the path.
  package var name: String?
}
