import ArgumentParser
import HearthProgram
import HearthTree

extension ExitCode {
  /// Reports the reason why a command failed, and ends it with 2, where 1 is an answer.
  ///
  /// - Parameters:
  ///   - error: another exit code is passed on without a report.
  ///   - printsJSON: whether a program reads the output: the report is an object with `error`.
  package static func reporting(_ error: any Error, printsJSON: Bool = false) -> ExitCode {
    if let code = error as? ExitCode { return code }
    Output.note("Error: \(error)")
    if printsJSON { Output.json(["error": "\(error)"]) }
    return ExitCode(2)
  }
}
