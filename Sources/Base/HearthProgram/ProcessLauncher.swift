import CLinux
import Glibc

/// Starts other programs, which inherit only the descriptors 0, 1 and 2.
///
/// All descriptors are opened close-on-exec. That is not enough: descriptors that this process has inherited are not
/// close-on-exec, and a library may open others. They are therefore also closed when a program is started.
package enum ProcessLauncher {
  /// The source or target of one of a program's standard streams.
  package enum Stream {
    /// The stream of this process.
    case inherited
    /// `/dev/null`.
    case nothing
    /// A descriptor of this process.
    case descriptor(Int32)
  }

  /// Starts a program, with the default handling of signals.
  ///
  /// - Parameters:
  /// - words: The program, which is searched in `PATH`, and its arguments.
  /// - environment: Variables as `NAME=value`; nil for those of this process.
  /// - streams: The standard input, output and error.
  /// - Throws: ``TextFile/Failure`` when there is no such program.
  package static func spawn(
    _ words: [String], environment: [String]? = nil, streams: [Stream] = [.inherited, .inherited, .inherited]
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in zip(Int32(0)..., streams) {
      switch stream {
      case .inherited: break
      case .nothing:
        posix_spawn_file_actions_addopen(&actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
      case .descriptor(let file): posix_spawn_file_actions_adddup2(&actions, file, number)
      }
    }
    linux_close_from(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The signals that this process ignores or blocks are reset for the new program.
    var (defaults, mask) = (sigset_t(), sigset_t())
    sigemptyset(&mask)
    sigemptyset(&defaults)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    let arguments = words.map { strdup($0) } + [nil]
    let variables = (environment ?? []).map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var id = pid_t()
    let problem =
      environment == nil
      ? posix_spawnp(&id, words[0], &actions, &attributes, arguments, environ)
      : posix_spawnp(&id, words[0], &actions, &attributes, arguments, variables)
    guard problem == 0 else {
      throw TextFile.Failure("cannot run \(words[0]): \(String(cString: strerror(problem)))")
    }
    return id
  }

  /// Replaces this process with another program. Returns only when the program cannot be run.
  package static func replaceProcess(with program: String, _ arguments: [String]) {
    closeOnExec()
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    execv(program, &words)
  }

  private static func closeOnExec() {
    guard let folder = opendir("/proc/self/fd") else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if let file = Int32(name), file > 2 { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    }
  }
}
