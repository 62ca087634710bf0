/// A rules file that is refused, with everything that is wrong in it.
public struct RulesError: Error, Sendable, Equatable {
  /// At least one; in file order.
  public var diagnostics: [Diagnostic]

  /// One problem of a rules file, with its place.
  public struct Diagnostic: Sendable, Equatable {
    /// 1-based line, and 1-based column in characters.
    public var line: Int
    /// From 1, in characters.
    public var column: Int
    /// The text that the real service gives, where it is known.
    public var message: String
    /// A sentence that tells how to mend it.
    public var help: String?
    /// The line of the file that the position is in, without its line break; empty when it is too long to show.
    public var sourceLine: String

    /// A problem at a line and column, both from 1.
    public init(line: Int, column: Int, message: String, help: String?, sourceLine: String) {
      self.line = line
      self.column = column
      self.message = message
      self.help = help
      self.sourceLine = sourceLine
    }
  }

  /// The error of a file with these problems, in the order of the file.
  public init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// What an upload answers in its `error` member: `3:15: Unknown variable 'tr'.` and a line break, for each.
  public var serviceText: String {
    diagnostics.map { "\($0.line):\($0.column): \($0.message)\n" }.joined()
  }
}
