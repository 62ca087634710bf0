/// The reason why a regular expression is refused.
package struct RegexProblem: Error, Equatable {
  /// The fault, in the words of the service where it is known.
  package var message: String
  /// How to put it right.
  package var help: String?

  init(_ message: String, help: String? = nil) {
    self.message = message
    self.help = help
  }
}
