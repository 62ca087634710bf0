import CRE2

/// A compiled regular expression of the rules language. Matching takes linear time in the size of the text.
package final class LinearRegex: @unchecked Sendable {  // because RE2 lets threads share a compiled pattern
  /// The body of the literal, without its slashes.
  package let body: String
  /// True when the literal has the flag `i`.
  package let ignoresCase: Bool
  private let pattern: OpaquePointer
  private let shape: RegexShape

  /// Compiles the body of a literal, without its slashes.
  ///
  /// - Parameter analysisStepsLeft: The maximum number of steps for the analysis of the cost of matching; those taken
  ///   are subtracted.
  init(_ body: String, ignoresCase: Bool, analysisStepsLeft: inout Int) throws(RegexProblem) {
    self.body = body
    self.ignoresCase = ignoresCase
    let translated: String
    (translated, shape) = try RegexTranslator.translate(body, ignoresCase: ignoresCase, stepsLeft: &analysisStepsLeft)
    var explanation = [CChar](repeating: 0, count: 200)
    let compiled = translated.withCString { text in
      cre2_compile(text, translated.utf8.count, Self.memoryBytesMax, &explanation, explanation.count)
    }
    guard let compiled else {
      let bytes = explanation.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw RegexProblem(String(decoding: bytes, as: UTF8.self))
    }
    pattern = compiled
  }

  deinit { cre2_free(pattern) }

  /// The number of instructions of the pattern.
  var programSize: Int { cre2_program_size(pattern) }

  /// Returns the maximum number of steps for matching a text of the given number of bytes. A step takes some tens of
  /// nanoseconds.
  ///
  /// An automaton that fits into memory takes two or three nanoseconds a byte. Every other expression takes one or two
  /// nanoseconds a byte for each position that is followed: those of the shape, or all instructions.
  func steps(forBytes count: Int) -> Int {
    switch shape {
    case .small: count >> 5
    case .wide(let width): product(count, width) >> 4
    case .unknown: product(count, programSize) >> 4
    }
  }

  /// The size of the longest text that a rule can match; nil when it is at least that of usual values.
  var textBytesMax: Int? {
    let perByte: Int
    switch shape {
    case .small: return nil
    case .wide(let width): perByte = width
    case .unknown: perByte = programSize
    }
    let count = (RulesLimits.stepsPerRuleMax << 4) / max(1, perByte)
    return count < RulesLimits.regexTextBytesMin ? count : nil
  }

  private func product(_ count: Int, _ factor: Int) -> Int {
    let (product, isTooMuch) = count.multipliedReportingOverflow(by: factor)
    return isTooMuch ? .max : product
  }

  /// The limit of memory for the program, and for the automaton states that matching caches.
  private static let memoryBytesMax: Int64 = 16 << 20

  /// Returns true when a part of the text matches.
  package func matches(_ text: String) -> Bool { Text.withBytes(text) { matches($0) } }

  /// Returns true when a part of a text, given in UTF-8, matches.
  func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // In Firebase's engine, characters beyond U+FFFF are two units, as in this one: see RegexTranslator.
    if bytes.contains(where: { $0 >= 0xF0 }) {
      return SurrogateText.encode(bytes).withUnsafeBufferPointer { matchesUnits($0) }
    }
    return matchesUnits(bytes)
  }

  private func matchesUnits(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.withMemoryRebound(to: CChar.self) { cre2_matches(pattern, $0.baseAddress, $0.count) }
  }
}

/// An encoding like UTF-8 in which each half of a surrogate pair is a separate three-byte sequence.
enum SurrogateText {
  static func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 2)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      // Four bytes, because the text is valid UTF-8.
      guard byte >= 0xF0, index + 3 < bytes.count else {
        result.append(byte)
        index += 1
        continue
      }
      let tail = (1...3).reduce(UInt32(byte & 0x07)) { $0 << 6 | UInt32(bytes[index + $1] & 0x3F) }
      append(0xD800 | UInt16(truncatingIfNeeded: (tail &- 0x10000) >> 10 & 0x3FF), to: &result)
      append(0xDC00 | UInt16(truncatingIfNeeded: tail & 0x3FF), to: &result)
      index += 4
    }
    return result
  }

  private static func append(_ surrogate: UInt16, to bytes: inout [UInt8]) {
    bytes.append(0xE0 | UInt8(surrogate >> 12))
    bytes.append(0x80 | UInt8(surrogate >> 6 & 0x3F))
    bytes.append(0x80 | UInt8(surrogate & 0x3F))
  }
}
