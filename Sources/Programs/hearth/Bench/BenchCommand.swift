import ArgumentParser
import Glibc
import HearthProgram

/// `hearth bench`: becomes the load generator, a program of its own that lies beside this one.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Load a server and print rates and latencies: runs hearth-bench, which lies beside this program.")

  @Argument(parsing: .captureForPassthrough, help: "Arguments for hearth-bench; --help lists them.")
  var arguments: [String] = []

  func run() throws {
    let program = try ProgramFile.sibling("hearth-bench")
    ProgramStart.become(program, arguments)
    throw TextFile.Failure("run", program)
  }
}
