/// What the regular expressions of one file may still grow to, counted in instructions.
///
/// A class, because every rule's checker draws from the one budget.
final class RegexBudget {
  private var left = RulesLimits.regexProgramSizeMax

  func compile(_ body: String, ignoresCase: Bool) throws(RegexProblem) -> LinearRegex {
    if left > 0 {
      let regex = try LinearRegex(body, ignoresCase: ignoresCase)
      left -= regex.programSize
      if left >= 0 { return regex }
    }
    throw RegexProblem("the file's patterns are too large together", help: "Large counts such as {1,1000} cost most.")
  }
}
