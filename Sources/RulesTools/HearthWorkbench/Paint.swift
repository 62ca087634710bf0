/// Colours for a terminal, or none.
package struct Paint: Sendable {
  let isColored: Bool

  /// - Parameter isColored: false leaves every text as it is.
  package init(isColored: Bool) { self.isColored = isColored }

  /// What went well.
  package func good(_ text: String) -> String { wrapped(text, "32") }
  /// What failed.
  package func bad(_ text: String) -> String { wrapped(text, "31") }
  /// What matters less.
  package func faint(_ text: String) -> String { wrapped(text, "2") }
  /// A heading.
  package func strong(_ text: String) -> String { wrapped(text, "1") }
  /// What to look at.
  package func warning(_ text: String) -> String { wrapped(text, "33") }

  private func wrapped(_ text: String, _ code: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
