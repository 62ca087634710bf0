/// Why a regular expression is refused.
struct RegexProblem: Error, Equatable {
  var message: String
  var help: String?

  init(_ message: String, help: String? = nil) {
    self.message = message
    self.help = help
  }
}
