import HearthDatabase
import HearthGateway
import HearthRules
import HearthSystem
import HearthTree
import Synchronization

/// What each rule had come to at moments of the last day, so that the console can tell of the last hour and of the last day
/// where the server counts.
///
/// Counts begin anew with each deploy, and so does this.
final class CoverageHistory: Sendable {
  /// Which time is asked for.
  enum Window: String {
    case hour, day

    var milliseconds: Int64 { self == .hour ? 3_600_000 : 86_400_000 }
  }

  /// Samples of the last hour are so far apart, older ones an hour.
  static let sampleSeconds: Int64 = 300
  /// Databases that are sampled.
  static let databasesMax = 64

  private struct Sample {
    var monotonic: Int64
    var at: Int64
    /// How often each rule was true, and how often it was asked.
    var counts: [(true: UInt64, total: UInt64)]
  }

  private struct Counted {
    var coverage: RulesCoverage
    /// The oldest first; the first one of a file may have counts of zero.
    var samples: [Sample] = []
  }

  private let counted = Mutex<[String: Counted]>([:])

  /// Takes samples of the open databases for as long as somebody holds this.
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

  /// Takes one sample of each; what is not among them is forgotten.
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

  /// Of what is older than an hour one sample an hour stays, and one that is older than a day.
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

  /// Returns the number of samples that are kept of a database.
  func sampleCount(of name: String) -> Int { counted.withLock { $0[name]?.samples.count ?? 0 } }

  /// What is to be taken off the counts of now: `since` is when the window begins, and `before` what each rule had come to
  /// by then, `[true, total]`, in the order of the file. Nothing where the file is younger than the window and counted from zero.
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
