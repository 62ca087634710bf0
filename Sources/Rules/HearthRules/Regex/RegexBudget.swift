/// What the regular expressions of one file may still grow to, counted in instructions.
///
/// A class, because every rule's checker draws from the one budget.
final class RegexBudget {
  private var left = RulesLimits.regexProgramSizeMax
  /// Those that can cost so much that a rule matches short texts only: where they stand in their rule's text, and how
  /// long a text they surely match.
  private var costly: [(offset: Int, textBytesMax: Int)] = []
  private var analysisStepsLeft = RulesLimits.regexAnalysisStepsPerFileMax

  /// - Parameter offset: where the literal stands in its rule's text.
  func compile(_ body: String, ignoresCase: Bool, at offset: Int) throws(RegexProblem) -> LinearRegex {
    if left > 0 {
      let regex = try LinearRegex(body, ignoresCase: ignoresCase, analysisStepsLeft: &analysisStepsLeft)
      left -= regex.programSize
      if left >= 0 {
        if let textBytesMax = regex.textBytesMax { costly.append((offset, textBytesMax)) }
        return regex
      }
    }
    throw RegexProblem("the file's patterns are too large together", help: "Large counts such as {1,1000} cost most.")
  }

  /// The costly ones since the last call.
  func takeCostly() -> [(offset: Int, textBytesMax: Int)] {
    defer { costly = [] }
    return costly
  }
}
