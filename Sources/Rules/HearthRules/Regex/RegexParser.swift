/// A parser of the regular expressions of the rules language.
///
/// The dialect is that of Firebase's engine, an automaton library: no groups that capture, no look-around, no
/// back-references, no lazy repetition. Three things differ from JavaScript:
///
/// * `^` at the start and `$` at the end anchor the whole pattern, so `/a|b$/` is `(a|b)` at the end of the text. In
///   any other position they are refused.
/// * `.` matches line breaks.
/// * Where an atom must begin, the repetition operators are literal characters: `(?:a)` matches the text `?:a`.
///
/// It works on UTF-16 units: a character beyond U+FFFF is its two surrogates.
///
/// With the flag `i` letters match in both cases by the simple mappings. ASCII letters match only ASCII letters: the
/// author of `[a-z]` does not expect it to match the Kelvin sign.
struct RegexParser {
  private let units: [UInt16]
  private let ignoresCase: Bool
  private var offset = 0
  private var depth = 0
  private var parts: [RegexSyntax.Part] = []

  static func parse(_ body: String, ignoresCase: Bool) throws(RegexProblem) -> RegexSyntax {
    var units = Array(body.utf16)
    guard units.count <= RulesLimits.regexUnitsMax else { throw RegexProblem("pattern too large") }
    let isAnchoredAtStart = units.first == unit("^")
    if isAnchoredAtStart { units.removeFirst() }
    let isAnchoredAtEnd = endsInAnchor(units)
    if isAnchoredAtEnd { units.removeLast() }
    var parser = RegexParser(units, ignoresCase: ignoresCase)
    if units.isEmpty {
      _ = parser.add(.nothing)
    } else {
      _ = try parser.union()
      if parser.offset < units.count {
        throw RegexProblem("end-of-string expected at position \(parser.offset)")
      }
    }
    return RegexSyntax(
      parts: parser.parts, isAnchoredAtStart: isAnchoredAtStart, isAnchoredAtEnd: isAnchoredAtEnd)
  }

  private init(_ units: [UInt16], ignoresCase: Bool) {
    self.units = units
    self.ignoresCase = ignoresCase
  }

  /// Returns true when the last unit is a `$` without a backslash before it.
  private static func endsInAnchor(_ units: [UInt16]) -> Bool {
    guard units.last == unit("$") else { return false }
    return units.dropLast().reversed().prefix { $0 == unit("\\") }.count % 2 == 0
  }

  static func unit(_ scalar: Unicode.Scalar) -> UInt16 { UInt16(truncatingIfNeeded: scalar.value) }

  private mutating func add(_ part: RegexSyntax.Part) -> Int {
    parts.append(part)
    return parts.count - 1
  }

  // MARK: Structure

  private mutating func union() throws(RegexProblem) -> Int {
    depth += 1
    defer { depth -= 1 }
    guard depth <= RulesLimits.expressionNestingMax else { throw RegexProblem("nested too deeply") }
    var options = [try concatenation()]
    while match("|") { options.append(try concatenation()) }
    return options.count == 1 ? options[0] : add(.either(options))
  }

  private mutating func concatenation() throws(RegexProblem) -> Int {
    var sequence = [try repetition()]
    while offset < units.count && peek != Self.unit(")") && peek != Self.unit("|") {
      sequence.append(try repetition())
    }
    return sequence.count == 1 ? sequence[0] : add(.sequence(sequence))
  }

  private mutating func repetition() throws(RegexProblem) -> Int {
    var part = try atom()
    while let unit = peek {
      switch unit {
      case Self.unit("*"): part = add(.repeated(part, atLeast: 0, atMost: nil))
      case Self.unit("+"): part = add(.repeated(part, atLeast: 1, atMost: nil))
      case Self.unit("?"): part = add(.repeated(part, atLeast: 0, atMost: 1))
      case Self.unit("{"):
        offset += 1
        part = add(try countedRepetition(of: part))
        continue
      default: return part
      }
      offset += 1
    }
    return part
  }

  private mutating func countedRepetition(of part: Int) throws(RegexProblem) -> RegexSyntax.Part {
    let least = try count()
    var most: Int? = least
    if match(",") { most = peek.map(Self.isDigit) == true ? try count() : nil }
    guard match("}") else { throw RegexProblem("expected '}' at position \(offset)") }
    if let most, most < least { throw RegexProblem("repetition {\(least),\(most)} is reversed at position \(offset)") }
    return .repeated(part, atLeast: least, atMost: most)
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

  private mutating func atom() throws(RegexProblem) -> Int {
    if match(".") { return add(.any) }
    if match("(") {
      if match(")") { return add(.nothing) }
      let part = try union()
      guard match(")") else { throw RegexProblem("expected ')' at position \(offset)") }
      return part
    }
    if match("[") { return try characterClass() }
    if let escaped = try classEscape() { return add(.units(escaped, isNegated: false)) }
    let anchorOffset = offset
    let isEscaped = peek == Self.unit("\\")
    let unit = try character()
    if !isEscaped, unit == Self.unit("^") || unit == Self.unit("$") {
      throw RegexProblem(
        "unexpected '\(UnicodeScalar(UInt8(unit)))' at position \(anchorOffset)",
        help: "^ can only come first and $ last; escape the characters as \\^ and \\$.")
    }
    return add(.units(cased([unit...unit]), isNegated: false))
  }

  private mutating func characterClass() throws(RegexProblem) -> Int {
    let isNegated = match("^")
    var ranges: [ClosedRange<UInt16>] = []
    repeat { ranges += try classItem() } while offset < units.count && peek != Self.unit("]")
    guard match("]") else { throw RegexProblem("expected ']' at position \(offset)") }
    return add(.units(cased(ranges), isNegated: isNegated))
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
    guard first <= last else { throw RegexProblem("character range is reversed at position \(start)") }
    return [first...last]
  }

  /// Reads one of `\s`, `\S`, `\w`, `\W`, `\d`, `\D`; nil when something else is next.
  private mutating func classEscape() throws(RegexProblem) -> [ClosedRange<UInt16>]? {
    guard peek == Self.unit("\\"), offset + 1 < units.count, let ranges = RegexUnits.classes[units[offset + 1]] else {
      return nil
    }
    offset += 2
    return ranges
  }

  /// Reads one character; a backslash escapes the next character.
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
