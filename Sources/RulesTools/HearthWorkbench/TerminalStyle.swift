/// Colours for a terminal, or none.
package struct TerminalStyle: Sendable {
  let isColored: Bool

  /// - Parameter isColored: false leaves every text as it is.
  package init(isColored: Bool) { self.isColored = isColored }

  /// The colour of successes.
  package func good(_ text: String) -> String { wrapped(text, "32") }
  /// The colour of failures.
  package func bad(_ text: String) -> String { wrapped(text, "31") }
  /// The colour of less important text.
  package func faint(_ text: String) -> String { wrapped(text, "2") }
  /// The style of headings.
  package func strong(_ text: String) -> String { wrapped(text, "1") }
  /// The colour of warnings.
  package func warning(_ text: String) -> String { wrapped(text, "33") }

  private func wrapped(_ text: String, _ code: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
