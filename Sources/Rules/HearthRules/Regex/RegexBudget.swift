/// The remaining size for the regular expressions of one file, in instructions.
///
/// It is a reference type because the checkers of all rules share it.
final class RegexBudget {
  private var left = RulesLimits.regexProgramSizeMax
  /// The regular expressions that are so expensive that a rule can match only short texts: their positions in the
  /// rule's text, and the length of the texts that they can match.
  private var costly: [(offset: Int, textBytesMax: Int)] = []
  private var analysisStepsLeft = RulesLimits.regexAnalysisStepsPerFileMax

  /// Compiles a regular expression.
  ///
  /// - Parameter offset: The position of the literal in its rule's text.
  func compile(_ body: String, ignoresCase: Bool, at offset: Int) throws(RegexProblem) -> LinearRegex {
    if left > 0 {
      let regex = try LinearRegex(body, ignoresCase: ignoresCase, analysisStepsLeft: &analysisStepsLeft)
      left -= regex.programSize
      if left >= 0 {
        if let textBytesMax = regex.textBytesMax { costly.append((offset, textBytesMax)) }
        return regex
      }
    }
    throw RegexProblem("the patterns of the file are too large in total", help: "Reduce large counts such as {1,1000}.")
  }

  /// Returns the costly expressions since the last call.
  func takeCostly() -> [(offset: Int, textBytesMax: Int)] {
    defer { costly = [] }
    return costly
  }
}
