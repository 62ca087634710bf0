/// The reason why a regular expression is refused.
package struct RegexProblem: Error, Equatable {
  /// The message of Firebase, if it is known; otherwise a description of the problem.
  package var message: String
  /// A sentence about how to fix the problem; nil when there is none.
  package var help: String?

  init(_ message: String, help: String? = nil) {
    self.message = message
    self.help = help
  }
}
