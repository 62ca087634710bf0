import Foundation
import Synchronization

/// The time that random runs are: a sample in the normal suite, everything in `make torture`, which a person starts.
package enum Torture {
  package static let isOn = ProcessInfo.processInfo.environment["HEARTH_TORTURE"] != nil

  /// How many of something.
  package static func count(sample: Int, full: Int) -> Int { isOn ? full : sample }

  /// Figures of a long run, for whoever started it.
  package static func report(_ text: @autoclosure () -> String) {
    if isOn { print(text()) }
  }

  /// Something for each seed, on all cores. A long run says on standard error how far it is, and which seeds took the
  /// longest, in seconds of their thread.
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

  /// Something that whoever started a long run should know before it ends.
  package static func tell(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

  /// Processor time of this thread.
  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// What one seed gave, and what it took.
private struct Run<Result: Sendable>: Sendable {
  var seed: UInt64
  var result: Result
  var seconds: Double
}
