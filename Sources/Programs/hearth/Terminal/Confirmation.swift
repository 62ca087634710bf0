import ArgumentParser
import Glibc
import HearthProgram

/// The confirmation of an irreversible operation.
enum Confirmation {
  /// Asks for a confirmation and throws unless the operator types yes. Without a terminal only the flag can confirm.
  static func ask(
    _ question: String, orFlag flag: String, refusal: String = "nothing was deleted"
  ) throws {
    guard isatty(STDIN_FILENO) == 1 else {
      throw ValidationError("\(question) Standard input is not a terminal; confirm with \(flag).")
    }
    Output.raw(Array("\(question) [y/N] ".utf8), to: STDERR_FILENO)
    let answer = readLine(strippingNewline: true)?.lowercased() ?? ""
    guard answer == "y" || answer == "yes" else { throw AdminFailure(refusal) }
  }
}
