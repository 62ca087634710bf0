/// The remaining size for the regular expressions of one file, in instructions.
///
/// A class, because every rule's checker draws from the one budget.
final class RegexBudget {
  private var left = RulesLimits.regexProgramSizeMax
  /// The expressions whose cost limits a rule to short texts: their positions in the rule's text, and the length of the
  /// texts that they can match.
  private var costly: [(offset: Int, textBytesMax: Int)] = []
  private var analysisStepsLeft = RulesLimits.regexAnalysisStepsPerFileMax

  /// - Parameter offset: the position of the literal in its rule's text.
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

  /// The costly ones since the last call.
  func takeCostly() -> [(offset: Int, textBytesMax: Int)] {
    defer { costly = [] }
    return costly
  }
}
