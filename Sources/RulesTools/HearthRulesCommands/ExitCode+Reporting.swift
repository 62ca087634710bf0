import ArgumentParser
import HearthProgram
import HearthTree

extension ExitCode {
  /// Reports the reason why a command failed, and returns the exit code 2. The exit code 1 means a negative result.
  ///
  /// - Parameters:
  /// - error: The error. An exit code is returned unchanged, without a report.
  /// - printsJSON: True to print the report as a JSON object with `error`.
  package static func reporting(_ error: any Error, printsJSON: Bool = false) -> ExitCode {
    if let code = error as? ExitCode { return code }
    Output.note("Error: \(error)")
    if printsJSON { Output.json(["error": "\(error)"]) }
    return ExitCode(2)
  }
}
