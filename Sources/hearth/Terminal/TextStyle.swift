import Glibc

/// Colours for people at a terminal, and none where a program reads.
struct TextStyle {
  /// Whether escape sequences are written.
  let isColoured: Bool

  /// For standard output: colours on a terminal, unless `NO_COLOR` is set (https://no-color.org).
  static var ofOutput: TextStyle { TextStyle(isColoured: isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil) }

  func red(_ text: String) -> String { coloured(text, "31") }
  func green(_ text: String) -> String { coloured(text, "32") }
  func yellow(_ text: String) -> String { coloured(text, "33") }
  func bold(_ text: String) -> String { coloured(text, "1") }
  func dim(_ text: String) -> String { coloured(text, "2") }

  private func coloured(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
