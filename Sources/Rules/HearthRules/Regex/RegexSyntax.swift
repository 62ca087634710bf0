/// The syntax of a regular expression of the rules language: used for matching, for its cost and for proofs.
package struct RegexSyntax: Sendable {
  /// A part of the expression. Operands are indexes of earlier parts, so that one pass in order visits them first.
  package enum Part: Sendable {
    /// The empty text: `()`.
    case nothing
    /// Any one unit: `.`.
    case any
    /// One UTF-16 unit of these ranges, which may overlap; or, when negated, one unit outside of them. With the flag
    /// `i`, they contain both cases.
    case units([ClosedRange<UInt16>], isNegated: Bool)
    /// A sequence of two parts or more.
    case sequence([Int])
    /// One of two parts or more.
    case either([Int])
    /// A repetition of a part; unbounded when there is no maximum.
    case repeated(Int, atLeast: Int, atMost: Int?)
  }

  /// The parts, at least one; the last is the whole expression between its anchors. The parts of an operand are
  /// adjacent.
  package let parts: [Part]
  /// True when a match begins at the beginning of the text.
  package let isAnchoredAtStart: Bool
  /// True when a match ends at the end of the text.
  package let isAnchoredAtEnd: Bool

  init(parts: [Part], isAnchoredAtStart: Bool, isAnchoredAtEnd: Bool) {
    self.parts = parts
    self.isAnchoredAtStart = isAnchoredAtStart
    self.isAnchoredAtEnd = isAnchoredAtEnd
  }

  /// Parses the body of a literal, without its slashes.
  package init(_ body: String, ignoresCase: Bool) throws(RegexProblem) {
    self = try RegexParser.parse(body, ignoresCase: ignoresCase)
  }
}
