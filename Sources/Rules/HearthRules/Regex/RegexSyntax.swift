/// What a regular expression of the rules language says: the one reading of it that matching, its cost and what is
/// proved of it begin with.
package struct RegexSyntax: Sendable {
  /// A part of the expression. Operands are indexes of parts before it, so that one pass in order meets them first.
  package enum Part: Sendable {
    /// The empty text: `()`.
    case nothing
    /// Any one unit: `.`.
    case any
    /// One UTF-16 unit of these ranges, which may overlap; or of none of them. The flag `i` is already in them.
    case units([ClosedRange<UInt16>], isNegated: Bool)
    /// Two parts or more, one after another.
    case sequence([Int])
    /// One of two parts or more.
    case either([Int])
    /// A part so many times; any number of times when there is no most.
    case repeated(Int, atLeast: Int, atMost: Int?)
  }

  /// At least one; the last is the whole expression between its anchors. Those of an operand stand side by side.
  package let parts: [Part]
  /// A match begins at the beginning of the text.
  package let isAnchoredAtStart: Bool
  /// A match ends at the end of the text.
  package let isAnchoredAtEnd: Bool

  init(parts: [Part], isAnchoredAtStart: Bool, isAnchoredAtEnd: Bool) {
    self.parts = parts
    self.isAnchoredAtStart = isAnchoredAtStart
    self.isAnchoredAtEnd = isAnchoredAtEnd
  }

  /// Reads the body of a literal, without its slashes.
  package init(_ body: String, ignoresCase: Bool) throws(RegexProblem) {
    self = try RegexParser.parse(body, ignoresCase: ignoresCase)
  }
}
