import Dispatch
import Glibc
import HearthProgram
import Synchronization

/// A command that runs with this process's terminal.
struct ChildProcess {
  let id: pid_t

  /// Starts a command. A single word with spaces is run by the shell, as in the official command line; other words are
  /// executed directly.
  ///
  /// - Throws: ``TextFile/Failure`` when the program is missing.
  init(_ words: [String], environment: [String: String]) throws {
    let words = words.count == 1 && words[0].contains(" ") ? ["/bin/sh", "-c", words[0]] : words
    id = try ProcessLauncher.spawn(words, environment: environment.map { "\($0.key)=\($0.value)" })
  }

  /// Waits for the end and returns the exit code, or 128 plus the number of the signal that ended it, as shells do.
  func end() async -> Int32 {
    await withCheckedContinuation { done in
      DispatchQueue.global().async { [id] in
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        done.resume(returning: signal == 0 ? status >> 8 & 0xFF : 128 + signal)
      }
    }
  }

  /// The environment variables of this process.
  static var ownEnvironment: [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    return variables
  }
}

/// The forwarding of signals to the command: an interrupt from the terminal reaches both processes, and the command
/// decides; signals sent to this process alone are forwarded, also those from before the command's start.
enum SignalRelay {
  /// The command's process; 0 before its start and after its end.
  private static let child = Atomic<pid_t>(0)
  /// The signal that arrived before the command's start; 0 when there was none.
  private static let pending = Atomic<Int32>(0)

  /// Keeps these signals from ending this process from now on.
  static func begin() {
    signal(SIGINT, SIG_IGN)
    for number in [SIGTERM, SIGHUP] { signal(number) { SignalRelay.pass($0) } }
  }

  /// Forwards past and future signals to the command.
  static func attach(_ process: ChildProcess) {
    child.store(process.id, ordering: .sequentiallyConsistent)
    let number = pending.exchange(0, ordering: .sequentiallyConsistent)
    if number != 0 { kill(process.id, number) }
  }

  /// Stops forwarding.
  static func end() { child.store(0, ordering: .sequentiallyConsistent) }

  /// Handles a signal, with atomics and `kill` alone.
  private static func pass(_ number: Int32) {
    let id = child.load(ordering: .sequentiallyConsistent)
    if id != 0 {
      kill(id, number)
    } else {
      pending.store(number, ordering: .sequentiallyConsistent)
    }
  }
}
