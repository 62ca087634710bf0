/// The bounds of proving, each with its reason. All are counts, so that an answer never depends on the machine.
///
/// A question that reaches one is undecided: never closed, never open.
package enum ExposureLimits {
  /// States that are visited to find a word of one language. Languages of rules files have tens; a few hostile patterns
  /// have more than fit anywhere.
  package static let languageStatesMax = 2_000
  /// Parts of terms that are visited for the same, some ten nanoseconds each: it bounds the cost of wide states.
  package static let languageWorkMax = 500_000
  /// Levels of one language's term; it bounds the stack. The deepest pattern that the rules language takes needs some
  /// 400.
  package static let languageHeightMax = 600
  /// UTF-16 units of a constant text. A longer one is opaque.
  package static let languageTextUnitsMax = 10_000
  /// Languages, derivatives and answers, at some hundred bytes each, that one comparison of rules leaves to the next.
  package static let languagesKeptMax = 100_000

  /// Branches that are visited for one form of a request. Questions about real files take 1 to 12; the worst case is
  /// exponential in the `||` along one chain of rules.
  package static let searchNodesMax = 4_000
  /// Branches at whose end a request is searched for, at some hundred times the cost of a branch.
  package static let leavesMax = 1_500
  /// Nested choices; it bounds the stack.
  package static let searchDepthMax = 200
  /// Alternatives of one expression for an outcome.
  package static let alternativesMax = 400
  /// Cases that the end of one branch is split into, one after another.
  package static let splitsMax = 6
  /// Paths of an update beside the one in question.
  package static let otherPathsMax = 2
  /// Rounds of derivation. Later consequences are not derived, which is always sound; real files take two or three.
  package static let propagationRoundsMax = 60
  /// Numbers that are ordered on one branch, at the cube of the number.
  package static let numbersMax = 40
  /// UTF-16 units up to which the length of a text is part of its language; longer ones would make as many states.
  package static let lengthMax = 300
  /// UTF-16 units that a text of a witness is filled up to.
  package static let paddingMax = 100_000
  /// Bytes of a text that is computed from constants while a question is decided.
  package static let textBytesMax = 1 << 20
  /// Random requests for one form of a request, after all other methods failed.
  package static let guessesMax = 300
  /// Requests that are tried to make one witness smaller.
  package static let shrinkTriesMax = 200
}
