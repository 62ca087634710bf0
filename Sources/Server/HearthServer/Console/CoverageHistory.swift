import HearthDatabase
import HearthGateway
import HearthRules
import HearthSystem
import HearthTree
import Synchronization

/// The result counts of each rule over the last day, so that the console can show the last hour and the last day when
/// the server counts.
///
/// Counts restart with each deploy, and so does the history.
final class CoverageHistory: Sendable {
  /// The requested period.
  enum Window: String {
    case hour, day

    var milliseconds: Int64 { self == .hour ? 3_600_000 : 86_400_000 }
  }

  /// The interval in seconds of samples of the last hour; that of older ones is an hour.
  static let sampleSeconds: Int64 = 300
  /// The maximum number of databases that are sampled.
  static let databasesMax = 64

  private struct Sample {
    var monotonic: Int64
    var at: Int64
    /// The numbers of true results and of all evaluations, for each rule.
    var counts: [(true: UInt64, total: UInt64)]
  }

  private struct Counted {
    var coverage: RulesCoverage
    /// The samples, the oldest first; the first one of a file may have counts of zero.
    var samples: [Sample] = []
  }

  private let counted = Mutex<[String: Counted]>([:])

  /// Takes samples of the open databases for as long as this object exists.
  func start(_ services: GatewayServices) {
    Task.detached(priority: .utility) { [weak self] in
      while !Task.isCancelled {
        guard self != nil else { return }
        await BlockingThread.run { [weak self] in
          let databases = services.databases.openDatabases.prefix(Self.databasesMax)
          self?.take(
            databases.compactMap { each in each.published.rules.coverage.map { (each.name, $0) } },
            monotonic: Clock.monotonicMilliseconds, at: Clock.wallMilliseconds)
        }
        try? await Task.sleep(for: .seconds(Self.sampleSeconds))
      }
    }
  }

  /// Takes one sample of each database, and drops all others.
  func take(_ databases: [(name: String, coverage: RulesCoverage)], monotonic: Int64, at: Int64) {
    let samples = databases.map { each in
      let counts = each.coverage.report().map { rule in
        (true: rule.expression.counts.trueCount, total: rule.expression.counts.total)
      }
      return (each.name, each.coverage, Sample(monotonic: monotonic, at: at, counts: counts))
    }
    counted.withLock { counted in
      var kept: [String: Counted] = [:]
      for (name, coverage, sample) in samples {
        var entry = counted[name].flatMap { $0.coverage === coverage ? $0 : nil } ?? Counted(coverage: coverage)
        entry.samples.append(sample)
        Self.thin(&entry.samples, now: monotonic)
        kept[name] = entry
      }
      counted = kept
    }
  }

  /// Thins out the samples: of those older than an hour it keeps one for each hour, and a single one that is older than a day.
  private static func thin(_ samples: inout [Sample], now: Int64) {
    var kept: [Sample] = []
    for sample in samples {
      let age = now - sample.monotonic
      if age > Window.day.milliseconds {
        kept = [sample]
      } else if age <= Window.hour.milliseconds + sampleSeconds * 2_000
        || kept.last.map({ sample.monotonic - $0.monotonic >= Window.hour.milliseconds }) ?? true
      {
        kept.append(sample)
      }
    }
    samples = kept
  }

  /// Returns the number of samples of a database.
  func sampleCount(of name: String) -> Int { counted.withLock { $0[name]?.samples.count ?? 0 } }

  /// Returns the counts to subtract from the current ones: `since` is the beginning of the window, and `before` the
  /// counts of each rule by then, `[true, total]`, in the order of the file. Empty when the file is younger than the
  /// window and counted from zero.
  func members(of name: String, _ coverage: RulesCoverage, _ window: Window, monotonic: Int64) -> [JSON.Member] {
    let sample = counted.withLock { counted -> Sample? in
      guard let entry = counted[name], entry.coverage === coverage else { return nil }
      let wanted = monotonic - window.milliseconds
      return entry.samples.last { $0.monotonic <= wanted }
    }
    guard let sample else { return [] }
    return [
      .init("since", .int(sample.at)),
      .init(
        "before",
        .array(sample.counts.map { .array([.int(Int64(clamping: $0.true)), .int(Int64(clamping: $0.total))]) })),
    ]
  }
}
