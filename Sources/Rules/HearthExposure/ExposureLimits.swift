/// The limits of the analysis, each with its reason. All are counts, so that a verdict never depends on the speed of
/// the machine.
///
/// A question that reaches a limit is undecided.
package enum ExposureLimits {
  /// States that are visited to find a word of one language. Languages of real rules files have tens of states;
  /// malicious patterns have too many for any memory.
  package static let languageStatesMax = 2_000
  /// Parts of language terms that are visited to find a word of one language, which takes about ten nanoseconds for
  /// each; the limit bounds the cost of large states.
  package static let languageWorkMax = 500_000
  /// Levels of one language's term; the limit bounds the stack. The deepest pattern that the rules language accepts
  /// needs about 400.
  package static let languageHeightMax = 600
  /// UTF-16 units of a constant text. A longer text is treated as unknown.
  package static let languageTextUnitsMax = 10_000
  /// Languages, derivatives and results that are kept for the next comparison of rules; each takes about a hundred
  /// bytes.
  package static let languagesKeptMax = 100_000

  /// Branches that are visited for one form of a request. Questions about real files take 1 to 12; the worst case is
  /// exponential in the `||` along one chain of rules.
  package static let searchNodesMax = 4_000
  /// Branches at whose end a request is searched; the search costs about a hundred times as much as a branch.
  package static let leavesMax = 1_500
  /// Nested choices; the limit bounds the stack.
  package static let searchDepthMax = 200
  /// Alternatives under which one expression has a given outcome.
  package static let alternativesMax = 400
  /// Successive case distinctions at the end of one branch.
  package static let splitsMax = 6
  /// Other paths of an update, in addition to the one in question.
  package static let otherPathsMax = 2
  /// Rounds of derivation. Later consequences are not derived, which is always sound; real files take two or three.
  package static let propagationRoundsMax = 60
  /// Numbers that are ordered on one branch; the cost is proportional to the cube of the count.
  package static let numbersMax = 40
  /// UTF-16 units up to which the length of a text is part of its language; the language has one state for each unit.
  package static let lengthMax = 300
  /// UTF-16 units up to which a text of a witness is padded.
  package static let paddingMax = 100_000
  /// Bytes of a text that is computed from constants while a question is decided.
  package static let textBytesMax = 1 << 20
  /// Random requests for one form of a request, after all other methods failed.
  package static let guessesMax = 300
  /// Requests that are tried to simplify one witness.
  package static let shrinkTriesMax = 200
}
