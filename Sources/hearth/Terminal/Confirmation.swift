import ArgumentParser
import Glibc
import HearthProgram

/// A question before something that cannot be undone.
enum Confirmation {
  /// Goes on only after a "yes" that a person typed; elsewhere the flag is the answer.
  static func ask(
    _ question: String, orFlag flag: String, refusal: String = "nothing was deleted"
  ) throws {
    guard isatty(STDIN_FILENO) == 1 else {
      throw ValidationError("\(question) There is nobody to ask here; \(flag) says so.")
    }
    Output.raw(Array("\(question) [y/N] ".utf8), to: STDERR_FILENO)
    let answer = readLine(strippingNewline: true)?.lowercased() ?? ""
    guard answer == "y" || answer == "yes" else { throw AdminFailure(refusal) }
  }
}
