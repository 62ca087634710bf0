import Glibc
import HearthProgram

/// Programs that a benchmark starts and ends.
enum ChildProcess {
  /// - Parameters:
  ///   - input: becomes its standard input; nil is nothing to read.
  ///   - output: becomes its standard output; nil is nowhere, for both of its outputs.
  ///   - cpu: the only processor that it may use; nil for all.
  static func spawn(
    _ program: String, _ arguments: [String], input: Int32? = nil, output: Int32? = nil, cpu: Int?
  ) throws -> pid_t {
    let words = (cpu.map { ["taskset", "--cpu-list", String($0)] } ?? []) + [program] + arguments
    do {
      return try ProgramStart.spawn(
        words,
        streams: [
          input.map { .descriptor($0) } ?? .nothing, output.map { .descriptor($0) } ?? .nothing,
          output == nil ? .nothing : .inherited,
        ])
    } catch {
      throw BenchServer.Failure(description: "\(error)")
    }
  }

  /// Runs a command to its end, with its output thrown away.
  ///
  /// - Returns: Whether it did what it is for.
  static func run(_ program: String, _ arguments: [String]) throws -> Bool {
    let process = try spawn(program, arguments, cpu: nil)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }

  /// Asks it to end, waits until it has, and after five seconds ends it.
  static func stop(_ process: pid_t) {
    kill(process, SIGTERM)
    var status: Int32 = 0
    for _ in 0..<100 {
      if waitpid(process, &status, WNOHANG) != 0 { return }
      usleep(50_000)
    }
    kill(process, SIGKILL)
    waitpid(process, &status, 0)
  }
}
