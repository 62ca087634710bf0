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
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
    } else {
      for file: Int32 in [1, 2] { posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_WRONLY, 0) }
    }
    let words = (cpu.map { ["taskset", "--cpu-list", String($0)] } ?? []) + [program] + arguments
    var pointers = words.map { strdup($0) } + [nil]
    defer {
      for pointer in pointers { free(pointer) }
    }
    // Signals that this process ignores or holds back are the child's again.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var process = pid_t()
    let code = posix_spawnp(&process, words[0], &actions, &attributes, &pointers, environ)
    guard code == 0 else {
      throw BenchServer.Failure(description: "cannot start \(words[0]): \(String(cString: strerror(code)))")
    }
    return process
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
