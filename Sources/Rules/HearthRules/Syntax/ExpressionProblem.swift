/// The first problem found inside an expression: by the lexer, the parser or the checker.
struct ExpressionProblem: Error, Equatable {
  var message: String
  var help: String?
  /// The offset in the expression's text, in UTF-8 bytes.
  var offset: Int

  init(_ message: String, help: String? = nil, at offset: Int) {
    self.message = message
    self.help = help
    self.offset = offset
  }
}
