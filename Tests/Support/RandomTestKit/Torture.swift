import Foundation
import Synchronization

/// The extent of random tests: a sample in the normal suite, and the full number in `make torture`, which developers
/// run by hand.
package enum Torture {
  package static let isOn = ProcessInfo.processInfo.environment["HEARTH_TORTURE"] != nil

  /// The number of repetitions: the sample, or the full number under torture.
  package static func count(sample: Int, full: Int) -> Int { isOn ? full : sample }

  /// Prints the figures of a long run.
  package static func report(_ text: @autoclosure () -> String) {
    if isOn { print(text()) }
  }

  /// Runs a test for each seed on all cores. A long run reports on standard error its progress and the slowest seeds,
  /// in seconds of their thread.
  package static func forEach<Result: Sendable>(
    _ name: String, _ seeds: Range<UInt64>, _ body: @Sendable (UInt64) -> Result
  ) -> [Result] {
    let runs = Mutex<[Run<Result>]>([])
    let stepCount = max(1, seeds.count / 20)
    DispatchQueue.concurrentPerform(iterations: seeds.count) { index in
      let seed = seeds.lowerBound + UInt64(index)
      let start = threadSeconds()
      let result = body(seed)
      let run = Run(seed: seed, result: result, seconds: threadSeconds() - start)
      let doneCount = runs.withLock { runs in
        runs.append(run)
        return runs.count
      }
      if isOn, doneCount % stepCount == 0 { tell("\(name): \(doneCount) of \(seeds.count)") }
    }
    let all = runs.withLock { $0 }
    if isOn {
      let slowest = all.sorted { $0.seconds > $1.seconds }.prefix(5).map { "\($0.seed) \(Int($0.seconds * 1_000)) ms" }
      let total = all.reduce(0) { $0 + $1.seconds }
      tell("\(name): \(Int(total)) s of processor time; slowest seeds: \(slowest.joined(separator: ", "))")
    }
    return all.sorted { $0.seed < $1.seed }.map(\.result)
  }

  /// Prints a message on standard error during a long run.
  package static func tell(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

  /// Returns the processor time of this thread, in seconds.
  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// The result of one seed and its processor time.
private struct Run<Result: Sendable>: Sendable {
  var seed: UInt64
  var result: Result
  var seconds: Double
}
