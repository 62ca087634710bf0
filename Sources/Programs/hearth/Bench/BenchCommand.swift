import ArgumentParser
import Glibc
import HearthProgram

/// The command `hearth bench`, which executes the separate program of the load generator.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Load-test a server and print rates and latencies. Runs hearth-bench from the folder of this program.")

  @Argument(parsing: .captureForPassthrough, help: "Arguments for hearth-bench; --help lists them.")
  var arguments: [String] = []

  func run() throws {
    let program = try ProgramFile.sibling("hearth-bench")
    ProcessLauncher.replaceProcess(with: program, arguments)
    throw TextFile.Failure("run", program)
  }
}
