import Glibc
import HearthProgram

/// Programs that a benchmark starts and ends.
enum ChildProcess {
  /// Starts a program.
  ///
  /// - Parameters:
  ///   - input: The standard input; nil for an empty one.
  ///   - output: The standard output; nil discards both outputs.
  ///   - cpu: The only processor that it may use; nil for all.
  static func spawn(
    _ program: String, _ arguments: [String], input: Int32? = nil, output: Int32? = nil, cpu: Int?
  ) throws -> pid_t {
    let words = (cpu.map { ["taskset", "--cpu-list", String($0)] } ?? []) + [program] + arguments
    do {
      return try ProcessLauncher.spawn(
        words,
        streams: [
          input.map { .descriptor($0) } ?? .nothing, output.map { .descriptor($0) } ?? .nothing,
          output == nil ? .nothing : .inherited,
        ])
    } catch {
      throw BenchServer.Failure(description: "\(error)")
    }
  }

  /// Runs a command to its end and discards its output.
  ///
  /// - Returns: True when it succeeded.
  static func run(_ program: String, _ arguments: [String]) throws -> Bool {
    let process = try spawn(program, arguments, cpu: nil)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }

  /// Asks a process to end, waits, and kills it after five seconds.
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
