/// The bounds of the rules language. Each prevents a malicious file or malicious data from exhausting the server's
/// resources.
public enum RulesLimits {
  /// The size of a rules file in UTF-8 bytes. Firebase documents 256 KB, but accepted 300 KB in a test.
  public static let fileBytesMax = 1 << 20
  /// Levels of objects and arrays in a file: the depth of data (32), the outer object, and some more, so that a clear
  /// message can be given.
  public static let fileDepthMax = 64
  /// Levels of brackets, `!`, `-` and `?:` in one expression; the limit bounds the parser's stack.
  public static let expressionNestingMax = 100
  /// Levels of operators, members and calls in one expression; the limit bounds the stacks of the checker and the
  /// evaluator.
  public static let expressionHeightMax = 300
  /// Nodes in one expression.
  public static let expressionNodesMax = 50_000
  /// UTF-16 units of a regular expression's literal.
  public static let regexUnitsMax = 10_000
  /// Bytes of the pattern to which a literal is translated.
  public static let regexPatternBytesMax = 1 << 20
  /// Repetitions in one `{n,m}` of a regular expression; linear-time matching has a state for each repetition.
  public static let regexRepeatMax = 10_000
  /// Instructions of all regular expressions in a file together, each of which takes about 25 bytes and 2 µs of compile
  /// time.
  public static let regexProgramSizeMax = 1_000_000
  /// Steps for computing the size of one regular expression's automaton, each of some tens of nanoseconds. For an
  /// expression that needs more, matching is assumed to follow all of its instructions.
  public static let regexAnalysisStepsMax = 500_000
  /// Steps for computing the sizes of the automata of all regular expressions of a file.
  public static let regexAnalysisStepsPerFileMax = 5_000_000
  /// Bytes of text that any regular expression should be able to match. An expression whose cost exceeds a rule's steps
  /// for texts of this size gets a warning; it can match shorter texts.
  public static let regexTextBytesMin = 256 << 10
  /// Bytes of a text that is computed when a file is compiled. A longer one is computed each time the rule runs: a file
  /// of nested replacements could otherwise hold thousands of texts of the maximum length.
  public static let constantBytesMax = 1024
  /// The maximum number of problems reported of one file.
  public static let diagnosticsMax = 100
  /// Bytes of a source line that a problem shows. Longer lines are usually generated, and not shown.
  public static let sourceLineBytesMax = 2000
  /// Steps of one rule: one for each operation, and one for every 64 bytes of text read or built. A regular expression
  /// takes one step for every 32 bytes of the matched text. An expression whose automaton does not fit into memory
  /// takes one step for every 16 bytes, multiplied by the number of instructions that it follows, so this limit bounds
  /// the texts that it can match.
  public static let stepsPerRuleMax = 1_000_000
  /// Steps of one decision, all its rules together: a large write runs validate rules on every node of its value.
  public static let stepsPerDecisionMax = 200_000_000
  /// Paths recorded of the reads in the decision of a write. When there are more, their ancestors are recorded instead.
  public static let writeReadsMax = 4_096
  /// Bytes of a text that an expression builds: the longest text of a leaf, and some text to append.
  public static let textBytesMax = 11 << 20
  /// Rules that a trace shows; a large write evaluates validate rules on every node.
  public static let traceRulesMax = 500
  /// Parts of rules that a trace shows, each of about a hundred bytes. When the limit is reached, each further rule may
  /// show a tenth of this number.
  public static let traceEntriesMax = 5_000
  /// Reads of data that a trace shows of one rule.
  public static let traceReadsMax = 200
  /// Bytes of a text that a trace shows: enough to recognise it.
  public static let traceTextBytesMax = 200
  /// Steps of deciding a denied request again for an explanation, which take some tens of milliseconds. The limit
  /// protects other requests. For a request that takes more steps, only the deciding rule is reported.
  public static let explainStepsMax = 1_000_000
  /// Reads of data that a record of a denied request keeps; a request with more reads is not recorded.
  public static let recordReadsMax = 500
  /// Bytes of data that a record of a denied request keeps of the tree before a write, and of the tree after it. A few
  /// hundred records are kept, which together take less memory than a hundred connections.
  public static let recordSizeBytesMax = 64 << 10
  /// Steps of deciding a denied request again to make its record, each of about ten nanoseconds. The limit is low
  /// because clients can cause this work.
  public static let recordStepsMax = 20_000
}
