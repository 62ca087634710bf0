import Dispatch
import Glibc
import HearthProgram
import Synchronization

/// A command that runs with this process's terminal, and whose end is waited for.
struct ChildProcess {
  let id: pid_t

  /// Starts a command. One word with spaces is for the shell, as the official command line has it; all else is run as it is.
  ///
  /// - Throws: ``TextFile/Failure`` when there is no such program.
  init(_ words: [String], environment: [String: String]) throws {
    let words = words.count == 1 && words[0].contains(" ") ? ["/bin/sh", "-c", words[0]] : words
    id = try ProgramStart.spawn(words, environment: environment.map { "\($0.key)=\($0.value)" })
  }

  /// Its code: what it ended with, or 128 and the number of the signal that ended it, as shells say it.
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

  /// The variables of this process.
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

/// Keeps this process alive for its command: an interrupt from the terminal reaches both, and the command decides; what
/// was sent to this process alone is passed on, also what came before the command was there.
enum SignalRelay {
  /// The command's process; 0 before it is there and after its end.
  private static let child = Atomic<pid_t>(0)
  /// What came before that; 0 is nothing.
  private static let pending = Atomic<Int32>(0)

  /// From now on none of these signals ends this process.
  static func begin() {
    signal(SIGINT, SIG_IGN)
    for number in [SIGTERM, SIGHUP] { signal(number) { SignalRelay.pass($0) } }
  }

  /// Passes on to the command what came, and what comes.
  static func attach(_ process: ChildProcess) {
    child.store(process.id, ordering: .sequentiallyConsistent)
    let number = pending.exchange(0, ordering: .sequentiallyConsistent)
    if number != 0 { kill(process.id, number) }
  }

  /// Passes no more on.
  static func end() { child.store(0, ordering: .sequentiallyConsistent) }

  /// In a signal handler: atomics and `kill` alone.
  private static func pass(_ number: Int32) {
    let id = child.load(ordering: .sequentiallyConsistent)
    if id != 0 {
      kill(id, number)
    } else {
      pending.store(number, ordering: .sequentiallyConsistent)
    }
  }
}
