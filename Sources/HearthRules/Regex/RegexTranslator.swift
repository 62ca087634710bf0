/// Reads the regular expressions of the rules language and writes the same language as an RE2 pattern.
///
/// The dialect is that of the service's engine, an automaton library: no groups that capture, no look-around, no
/// back-references, no lazy repetition. Three things differ from what JavaScript makes of the same text:
///
/// * `^` first and `$` last anchor the whole pattern, so `/a|b$/` is `(a|b)` at the end of the text. Anywhere else
///   they are refused.
/// * `.` matches line breaks.
/// * Where something to repeat must begin, any character stands for itself: `(?:a)` matches the text `?:a`.
///
/// It works on UTF-16 units. RE2 works on Unicode scalars, so a character beyond U+FFFF is written as its two
/// surrogates, and ``LinearRegex`` encodes the texts it matches likewise.
///
/// With the flag `i` letters match in both cases by the simple mappings. ASCII letters match only ASCII letters:
/// a rule that says `[a-z]` means those, not the Kelvin sign.
struct RegexTranslator {
  private let units: [UInt16]
  private let ignoresCase: Bool
  private var offset = 0
  private var output = ""
  private var depth = 0
  private var graph: RegexGraph

  /// - Parameter stepsLeft: what may be spent on the shape; what was spent is taken off.
  static func translate(
    _ body: String, ignoresCase: Bool, stepsLeft: inout Int
  ) throws(RegexProblem) -> (pattern: String, shape: RegexShape) {
    var units = Array(body.utf16)
    guard units.count <= RulesLimits.regexUnitsMax else { throw RegexProblem("pattern too large") }
    let isAnchoredAtStart = units.first == unit("^")
    if isAnchoredAtStart { units.removeFirst() }
    let isAnchoredAtEnd = endsInAnchor(units)
    if isAnchoredAtEnd { units.removeLast() }
    let stepsMax = min(stepsLeft, RulesLimits.regexAnalysisStepsMax)
    var translator = RegexTranslator(units, ignoresCase: ignoresCase, graph: RegexGraph(stepsMax: stepsMax))
    var whole = translator.graph.nothing
    if !units.isEmpty {
      whole = try translator.union()
      if translator.offset < units.count {
        throw RegexProblem("end-of-string expected at position \(translator.offset)")
      }
    }
    var analysisLeft = translator.graph.stepsLeft
    let shape = RegexShape(
      of: whole, in: translator.graph, isAnchored: (isAnchoredAtStart, isAnchoredAtEnd), stepsLeft: &analysisLeft)
    stepsLeft -= stepsMax - max(0, analysisLeft)
    let pattern = (isAnchoredAtStart ? "\\A" : "") + "(?:\(translator.output))" + (isAnchoredAtEnd ? "\\z" : "")
    return (pattern, shape)
  }

  private init(_ units: [UInt16], ignoresCase: Bool, graph: RegexGraph) {
    self.graph = graph
    self.units = units
    self.ignoresCase = ignoresCase
  }

  /// True when the last unit is a `$` that no backslash takes.
  private static func endsInAnchor(_ units: [UInt16]) -> Bool {
    guard units.last == unit("$") else { return false }
    return units.dropLast().reversed().prefix { $0 == unit("\\") }.count % 2 == 0
  }

  static func unit(_ scalar: Unicode.Scalar) -> UInt16 { UInt16(truncatingIfNeeded: scalar.value) }

  // MARK: Structure

  private mutating func union() throws(RegexProblem) -> RegexGraph.Fragment {
    depth += 1
    defer { depth -= 1 }
    guard depth <= RulesLimits.expressionNestingMax else { throw RegexProblem("nested too deeply") }
    var part = try concatenation()
    while match("|") {
      output += "|"
      part = graph.either(part, try concatenation())
    }
    return part
  }

  private mutating func concatenation() throws(RegexProblem) -> RegexGraph.Fragment {
    var part = try repetition()
    while offset < units.count && peek != Self.unit(")") && peek != Self.unit("|") {
      part = graph.sequence(part, try repetition())
    }
    return part
  }

  private mutating func repetition() throws(RegexProblem) -> RegexGraph.Fragment {
    let start = output.endIndex
    var part = try atom()
    while let unit = peek {
      switch unit {
      case Self.unit("*"), Self.unit("+"), Self.unit("?"):
        offset += 1
        wrap(from: start, String(UnicodeScalar(UInt8(unit))))
        part = graph.repeated(part, unit == Self.unit("+") ? 1 : 0, unit == Self.unit("?") ? 1 : nil)
      case Self.unit("{"):
        offset += 1
        let (least, most) = try countedRepetition(from: start)
        part = graph.repeated(part, least, most)
      default: return part
      }
    }
    return part
  }

  /// A repetition of what was written since `start`. Its own group keeps RE2 from reading `a*?` or `a**` its way.
  private mutating func wrap(from start: String.Index, _ suffix: String) {
    let atom = output[start...]
    output.replaceSubrange(start..., with: "(?:\(atom)\(suffix))")
  }

  private mutating func countedRepetition(
    from start: String.Index
  ) throws(RegexProblem) -> (least: Int, most: Int?) {
    let least = try count()
    var most: Int? = least
    if match(",") { most = peek.map(Self.isDigit) == true ? try count() : nil }
    guard match("}") else { throw RegexProblem("expected '}' at position \(offset)") }
    if let most, most < least { throw RegexProblem("repetition {\(least),\(most)} counts down at position \(offset)") }
    let atom = String(output[start...])
    guard atom.utf8.count * (max(least, most ?? 0) / 1000 + 2) <= RulesLimits.regexPatternBytesMax else {
      throw RegexProblem("pattern too large")
    }
    output.replaceSubrange(start..., with: "(?:\(Self.repeated(atom, least, most)))")
    return (least, most)
  }

  /// RE2 counts to 1,000, so longer repetitions are written as several.
  private static func repeated(_ atom: String, _ least: Int, _ most: Int?) -> String {
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

  private mutating func count() throws(RegexProblem) -> Int {
    let start = offset
    var value = 0
    while let unit = peek, Self.isDigit(unit) {
      value = min(value * 10 + Int(unit - 48), RulesLimits.regexRepeatMax + 1)
      offset += 1
    }
    guard offset > start else { throw RegexProblem("integer expected at position \(offset)") }
    guard value <= RulesLimits.regexRepeatMax else {
      throw RegexProblem("repetition of more than \(RulesLimits.regexRepeatMax) at position \(start)")
    }
    return value
  }

  private static func isDigit(_ unit: UInt16) -> Bool { (48...57).contains(unit) }

  // MARK: Atoms

  private mutating func atom() throws(RegexProblem) -> RegexGraph.Fragment {
    if match(".") {
      output += "(?s:.)"
      return graph.unit(in: [.min ... .max])
    }
    if match("(") {
      output += "(?:"
      var part = graph.nothing
      if !match(")") {
        part = try union()
        guard match(")") else { throw RegexProblem("expected ')' at position \(offset)") }
      }
      output += ")"
      return part
    }
    if match("[") { return try characterClass() }
    if let escaped = try classEscape() { return set(escaped, isNegated: false) }
    let anchorOffset = offset
    let isEscaped = peek == Self.unit("\\")
    let unit = try character()
    if !isEscaped, unit == Self.unit("^") || unit == Self.unit("$") {
      throw RegexProblem(
        "unexpected '\(UnicodeScalar(UInt8(unit)))' at position \(anchorOffset)",
        help: "^ may only be first and $ only last; \\^ and \\$ are the characters themselves.")
    }
    return set(cased([unit...unit]), isNegated: false)
  }

  private mutating func characterClass() throws(RegexProblem) -> RegexGraph.Fragment {
    let isNegated = match("^")
    var ranges: [ClosedRange<UInt16>] = []
    repeat { ranges += try classItem() } while offset < units.count && peek != Self.unit("]")
    guard match("]") else { throw RegexProblem("expected ']' at position \(offset)") }
    return set(cased(ranges), isNegated: isNegated)
  }

  private mutating func set(_ ranges: [ClosedRange<UInt16>], isNegated: Bool) -> RegexGraph.Fragment {
    output += RegexUnits.pattern(ranges, isNegated: isNegated)
    let merged = RegexUnits.merged(ranges)
    return graph.unit(in: isNegated ? RegexUnits.complement(merged) : merged)
  }

  private mutating func classItem() throws(RegexProblem) -> [ClosedRange<UInt16>] {
    if let escaped = try classEscape() { return escaped }
    let first = try character()
    guard peek == Self.unit("-"), offset + 1 < units.count, units[offset + 1] != Self.unit("]") else {
      return [first...first]
    }
    offset += 1
    let start = offset
    guard try classEscape() == nil else { throw RegexProblem("expected a character at position \(start)") }
    let last = try character()
    guard first <= last else { throw RegexProblem("character range counts down at position \(start)") }
    return [first...last]
  }

  /// `\s`, `\S`, `\w`, `\W`, `\d`, `\D`; nil when something else is next.
  private mutating func classEscape() throws(RegexProblem) -> [ClosedRange<UInt16>]? {
    guard peek == Self.unit("\\"), offset + 1 < units.count, let ranges = RegexUnits.classes[units[offset + 1]] else {
      return nil
    }
    offset += 2
    return ranges
  }

  /// One character; a backslash makes the next one stand for itself.
  private mutating func character() throws(RegexProblem) -> UInt16 {
    _ = match("\\")
    guard let unit = peek else { throw RegexProblem("unexpected end-of-string") }
    offset += 1
    return unit
  }

  private func cased(_ ranges: [ClosedRange<UInt16>]) -> [ClosedRange<UInt16>] {
    ignoresCase ? RegexUnits.withBothCases(ranges) : ranges
  }

  private var peek: UInt16? { offset < units.count ? units[offset] : nil }

  private mutating func match(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == Self.unit(scalar) else { return false }
    offset += 1
    return true
  }
}
