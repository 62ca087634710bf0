import Foundation
import Synchronization

/// How long random runs are: a sample in the normal suite, everything in `make torture`.
enum Torture {
  static let isOn = ProcessInfo.processInfo.environment["HEARTH_TORTURE"] != nil

  /// How many of something.
  static func count(sample: Int, full: Int) -> Int { isOn ? full : sample }

  /// Figures of a long run, for whoever started it.
  static func report(_ text: @autoclosure () -> String) {
    if isOn { print(text()) }
  }

  /// Something for each seed, on all cores.
  static func forEach<Result: Sendable>(_ seeds: Range<UInt64>, _ body: @Sendable (UInt64) -> Result) -> [Result] {
    let results = Mutex<[(seed: UInt64, result: Result)]>([])
    DispatchQueue.concurrentPerform(iterations: seeds.count) { index in
      let seed = seeds.lowerBound + UInt64(index)
      let result = body(seed)
      results.withLock { $0.append((seed, result)) }
    }
    return results.withLock { $0.sorted { $0.seed < $1.seed }.map(\.result) }
  }
}
