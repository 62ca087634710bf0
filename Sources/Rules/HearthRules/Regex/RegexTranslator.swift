/// A translator of a regular expression of the rules language to an equivalent RE2 pattern, and to the graph for the
/// cost of matching.
///
/// RE2 works on Unicode scalars, so a character beyond U+FFFF is written as its two surrogates, and ``LinearRegex``
/// encodes the texts in the same way.
struct RegexTranslator {
  private var graph: RegexGraph
  /// The pattern and the graph's fragment of each part that is not yet part of another, by its number.
  private var patterns: [Int: String] = [:]
  private var fragments: [Int: RegexGraph.Fragment] = [:]

  /// Translates a regular expression.
  ///
  /// - Parameter stepsLeft: The maximum number of steps for computing the shape; those taken are subtracted.
  static func translate(
    _ body: String, ignoresCase: Bool, stepsLeft: inout Int
  ) throws(RegexProblem) -> (pattern: String, shape: RegexShape) {
    let syntax = try RegexSyntax(body, ignoresCase: ignoresCase)
    let stepsMax = min(stepsLeft, RulesLimits.regexAnalysisStepsMax)
    var translator = RegexTranslator(graph: RegexGraph(stepsMax: stepsMax))
    for (number, part) in syntax.parts.enumerated() { try translator.add(part, number) }
    let (pattern, whole) = translator.take(syntax.parts.count - 1)
    var analysisLeft = translator.graph.stepsLeft
    let isAnchored = (start: syntax.isAnchoredAtStart, end: syntax.isAnchoredAtEnd)
    let shape = RegexShape(of: whole, in: translator.graph, isAnchored: isAnchored, stepsLeft: &analysisLeft)
    stepsLeft -= stepsMax - max(0, analysisLeft)
    return ((isAnchored.start ? "\\A" : "") + "(?:\(pattern))" + (isAnchored.end ? "\\z" : ""), shape)
  }

  private init(graph: RegexGraph) { self.graph = graph }

  private mutating func take(_ number: Int) -> (String, RegexGraph.Fragment) {
    (patterns.removeValue(forKey: number) ?? "", fragments.removeValue(forKey: number) ?? graph.nothing)
  }

  private mutating func add(_ part: RegexSyntax.Part, _ number: Int) throws(RegexProblem) {
    switch part {
    case .nothing: put(number, "", graph.nothing)
    case .any: put(number, "(?s:.)", graph.unit(in: [.min ... .max]))
    case .units(let ranges, let isNegated):
      let merged = RegexUnits.merged(ranges)
      put(
        number, RegexUnits.pattern(ranges, isNegated: isNegated),
        graph.unit(in: isNegated ? RegexUnits.complement(merged) : merged))
    case .sequence(let numbers):
      var (pattern, fragment) = take(numbers[0])
      for next in numbers.dropFirst() {
        let (nextPattern, nextFragment) = take(next)
        pattern += nextPattern
        fragment = graph.sequence(fragment, nextFragment)
      }
      put(number, pattern, fragment)
    case .either(let numbers):
      var (pattern, fragment) = take(numbers[0])
      for next in numbers.dropFirst() {
        let (nextPattern, nextFragment) = take(next)
        pattern += "|" + nextPattern
        fragment = graph.either(fragment, nextFragment)
      }
      put(number, "(?:\(pattern))", fragment)
    case .repeated(let operand, let least, let most):
      let (pattern, fragment) = take(operand)
      put(number, try Self.repeated(pattern, least, most), graph.repeated(fragment, least, most))
    }
  }

  private mutating func put(_ number: Int, _ pattern: String, _ fragment: RegexGraph.Fragment) {
    patterns[number] = pattern
    fragments[number] = fragment
  }

  /// Returns the pattern of a repetition, in a separate group so that RE2 does not interpret `a*?` or `a**`.
  private static func repeated(_ pattern: String, _ least: Int, _ most: Int?) throws(RegexProblem) -> String {
    let atom = "(?:\(pattern))"
    switch (least, most) {
    case (0, nil): return "(?:\(atom)*)"
    case (1, nil): return "(?:\(atom)+)"
    case (0, 1): return "(?:\(atom)?)"
    default:
      guard atom.utf8.count * (max(least, most ?? 0) / 1000 + 2) <= RulesLimits.regexPatternBytesMax else {
        throw RegexProblem("pattern too large")
      }
      return "(?:\(counted(atom, least, most)))"
    }
  }

  /// Returns the pattern of a counted repetition. RE2's maximum count is 1,000, so greater counts are written as
  /// several repetitions.
  private static func counted(_ atom: String, _ least: Int, _ most: Int?) -> String {
    if most == 0 { return "" }
    let chunk = 1000
    var result = ""
    var rest = least
    while rest > chunk {
      result += "\(atom){\(chunk)}"
      rest -= chunk
    }
    guard let most else { return result + "\(atom){\(rest),}" }
    var optional = most - least
    result += "\(atom){\(rest),\(min(chunk, rest + optional))}"
    optional -= min(chunk, rest + optional) - rest
    while optional > 0 {
      result += "\(atom){0,\(min(chunk, optional))}"
      optional -= min(chunk, optional)
    }
    return result
  }
}
