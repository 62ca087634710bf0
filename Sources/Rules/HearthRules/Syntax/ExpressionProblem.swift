/// The first problem found inside an expression: by the lexer, the parser or the checker.
struct ExpressionProblem: Error, Equatable {
  var message: String
  var help: String?
  /// UTF-8 bytes from the start of the expression's text.
  var offset: Int

  init(_ message: String, help: String? = nil, at offset: Int) {
    self.message = message
    self.help = help
    self.offset = offset
  }
}
