/// The bounds of the rules language. Each prevents a hostile file or hostile data from exhausting the server.
public enum RulesLimits {
  /// A rules file, in UTF-8 bytes. Firebase documents 256 KB and was seen to take 300 KB.
  public static let fileBytesMax = 1 << 20
  /// Levels of objects and arrays in a file: the depth of data (32), the outer object, and room for a clear message.
  public static let fileDepthMax = 64
  /// Levels of brackets, `!`, `-` and `?:` in one expression; it bounds the parser's stack.
  public static let expressionNestingMax = 100
  /// Levels of operators, members and calls in one expression; it bounds the checker's and the evaluator's stack.
  public static let expressionHeightMax = 300
  /// Nodes in one expression.
  public static let expressionNodesMax = 50_000
  /// UTF-16 units of a regular expression's literal.
  public static let regexUnitsMax = 10_000
  /// Bytes of the pattern that a literal is translated to, before it is compiled.
  public static let regexPatternBytesMax = 1 << 20
  /// Repetitions in one `{n,m}` of a regular expression; linear-time matching keeps a state for each.
  public static let regexRepeatMax = 10_000
  /// Instructions of all regular expressions in a file together, at some 25 bytes and 2 µs of compiling each.
  public static let regexProgramSizeMax = 1_000_000
  /// Steps for computing the size of one regular expression's automaton, some tens of nanoseconds each. One that needs
  /// more is assumed to have no bound but its size.
  public static let regexAnalysisStepsMax = 500_000
  /// The same for all regular expressions of a file.
  public static let regexAnalysisStepsPerFileMax = 5_000_000
  /// Bytes of text that any regular expression should be able to match. One whose cost can end a rule's steps before
  /// gets a warning; it matches shorter texts.
  public static let regexTextBytesMin = 256 << 10
  /// Bytes of a text that is computed when a file is compiled. A longer one is computed each time the rule runs: a file
  /// of nested replacements could otherwise keep thousands of the longest possible texts.
  public static let constantBytesMax = 1024
  /// The maximum number of problems reported of one file.
  public static let diagnosticsMax = 100
  /// Bytes of a source line that a problem shows. A longer one comes from a file that was not written by hand.
  public static let sourceLineBytesMax = 2000
  /// Steps of one rule: an operation each, and one for every 64 bytes of text read or built. A regular expression costs
  /// one for every 32 bytes that it is matched against; one whose automaton does not fit into memory, one for every 16
  /// bytes times the instructions that it follows at once. It bounds the text that such an expression can match.
  public static let stepsPerRuleMax = 1_000_000
  /// Steps of one decision, all its rules together: a large write runs validate rules on every node it carries.
  public static let stepsPerDecisionMax = 200_000_000
  /// Paths noted of the reads in the decision of a write. More are noted as places above them.
  public static let writeReadsMax = 4_096
  /// Bytes of a text that an expression builds: the longest text that a leaf can hold, and some to add to it.
  public static let textBytesMax = 11 << 20
  /// Rules that a trace shows; a large write evaluates validate rules on every node.
  public static let traceRulesMax = 500
  /// Parts of rules that a trace shows, at some hundred bytes each. When they are used up, each further rule may show a
  /// tenth as many.
  public static let traceEntriesMax = 5_000
  /// Reads of data that a trace shows of one rule.
  public static let traceReadsMax = 200
  /// Bytes of a text that a trace shows: enough to recognise it.
  public static let traceTextBytesMax = 200
  /// Steps of deciding a denied request again for an explanation, some tens of milliseconds: the server has other
  /// requests to serve. Of a request that takes more, only the deciding rule is reported.
  public static let explainStepsMax = 1_000_000
  /// Reads of data that a record of a denied request keeps; one with more is not kept.
  public static let recordReadsMax = 500
  /// Bytes of data that such a record keeps of the tree before a write, and of the one after it: some hundred records
  /// are kept, and stay below the memory of a hundred connections.
  public static let recordSizeBytesMax = 64 << 10
  /// Steps of deciding a denied request again to make its record, some ten nanoseconds each: clients cause it.
  public static let recordStepsMax = 20_000
}
