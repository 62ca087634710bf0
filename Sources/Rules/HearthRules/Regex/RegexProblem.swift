/// The reason why a regular expression is refused.
package struct RegexProblem: Error, Equatable {
  /// The fault, in the words of Firebase if they are known.
  package var message: String
  /// A sentence that tells how to fix it; nil when there is none.
  package var help: String?

  init(_ message: String, help: String? = nil) {
    self.message = message
    self.help = help
  }
}
