import Dispatch
import Glibc
import HearthProgram
import Synchronization

/// A command that a benchmark starts and times from its start to its end.
final class ChildRun: Sendable {
  private let ended = Mutex<Result<Double, BenchServer.Failure>?>(nil)
  private let done = DispatchSemaphore(value: 0)

  /// Starts a command without input and without standard output; its standard error stays visible.
  static func start(_ program: String, _ arguments: [String]) throws -> ChildRun {
    let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nowhere >= 0 else { throw BenchServer.Failure(description: "cannot open /dev/null") }
    defer { close(nowhere) }
    let started = WallClock.monotonicNanoseconds
    let process = try ChildProcess.spawn(program, arguments, output: nowhere, cpu: nil)
    let run = ChildRun()
    // The wait blocks its thread, so it has its own.
    DispatchQueue(label: "hearth.bench.child").async {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      let seconds = WallClock.seconds(since: started)
      let words = ([program] + arguments.prefix(2)).joined(separator: " ")
      run.ended.withLock {
        $0 = status == 0 ? .success(seconds) : .failure(BenchServer.Failure(description: "\(words) failed"))
      }
      run.done.signal()
    }
    return run
  }

  /// True when the command has ended.
  var isOver: Bool { ended.withLock { $0 != nil } }

  /// Waits until the command has ended.
  ///
  /// - Returns: Its duration in seconds.
  func wait() throws -> Double {
    done.wait()
    defer { done.signal() }
    guard let result = ended.withLock({ $0 }) else { throw BenchServer.Failure(description: "a command did not end") }
    return try result.get()
  }
}
