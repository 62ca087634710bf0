/// The style of terminal output: with or without colours.
package struct TerminalStyle: Sendable {
  let isColored: Bool

  /// Creates a style.
  ///
  /// - Parameter isColored: False to leave every text unchanged.
  package init(isColored: Bool) { self.isColored = isColored }

  /// Returns a text in the colour of successes.
  package func good(_ text: String) -> String { wrapped(text, "32") }
  /// Returns a text in the colour of failures.
  package func bad(_ text: String) -> String { wrapped(text, "31") }
  /// Returns a text in the colour of less important text.
  package func faint(_ text: String) -> String { wrapped(text, "2") }
  /// Returns a text in the style of headings.
  package func strong(_ text: String) -> String { wrapped(text, "1") }
  /// Returns a text in the colour of warnings.
  package func warning(_ text: String) -> String { wrapped(text, "33") }

  private func wrapped(_ text: String, _ code: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
