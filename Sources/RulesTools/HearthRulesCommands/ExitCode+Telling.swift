import ArgumentParser
import HearthProgram
import HearthTree

extension ExitCode {
  /// Tells what kept a command from doing what was asked, and ends it with 2, where 1 is an answer.
  ///
  /// - Parameters:
  ///   - error: another exit code is passed on, and nothing is told.
  ///   - printsJSON: whether a program reads the output: it is told in an object with `error`.
  package static func telling(_ error: any Error, printsJSON: Bool = false) -> ExitCode {
    if let code = error as? ExitCode { return code }
    Output.note("hearth: \(error)")
    if printsJSON { Output.json(["error": "\(error)"]) }
    return ExitCode(2)
  }
}
