/// The refusal of a rules file, with all of its problems.
public struct RulesError: Error, Sendable, Equatable {
  /// The problems, at least one, in file order.
  public var diagnostics: [Diagnostic]

  /// A problem of a rules file, with its position.
  public struct Diagnostic: Sendable, Equatable {
    /// The line, from 1.
    public var line: Int
    /// The column, from 1, in characters.
    public var column: Int
    /// The message of Firebase, if it is known.
    public var message: String
    /// A sentence about how to fix the problem; nil when there is none.
    public var help: String?
    /// The line of the file that contains the position, without its line break; empty when it is too long to show.
    public var sourceLine: String

    /// Creates a problem at a line and column, both counted from 1.
    public init(line: Int, column: Int, message: String, help: String?, sourceLine: String) {
      self.line = line
      self.column = column
      self.message = message
      self.help = help
      self.sourceLine = sourceLine
    }
  }

  /// Creates the error of a file with problems, which must be in file order.
  public init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// The `error` member in the response to an upload: `3:15: Unknown variable 'tr'.` and a line break, for each.
  public var uploadErrorText: String {
    diagnostics.map { "\($0.line):\($0.column): \($0.message)\n" }.joined()
  }
}
