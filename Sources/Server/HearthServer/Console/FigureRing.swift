import HearthDatabase
import HearthGateway
import HearthMetrics
import HearthSystem
import HearthTree
import Synchronization

/// The metrics of the last hour, a sample each two seconds, and of the last day, one each minute: rates since the
/// previous sample, and levels.
///
/// Samples read existing counters; they are always taken, so that a newly opened console has the past hour.
final class FigureRing: Sendable {
  /// The interval of samples, in seconds.
  enum Step: Int64, CaseIterable {
    case fine = 2
    case coarse = 60

    var milliseconds: Int64 { rawValue * 1_000 }
    var countMax: Int { self == .fine ? FigureRing.countMax : FigureRing.coarseCountMax }
  }

  /// The maximum number of samples of an hour.
  static let countMax = 1_800
  /// The maximum number of samples of a day.
  static let coarseCountMax = 1_440
  /// The maximum number of databases that are sampled.
  static let databasesMax = 256

  /// The figures of a sample, in the order of its values.
  enum Figure: String, CaseIterable {
    /// The commits a second, of all databases.
    case writes
    /// The denials a second.
    case refused
    /// The listens that lost their permission, a second.
    case cancelled
    /// The clients of all databases.
    case connections
    /// The granted listens.
    case listens
    /// The commands that wait for a decision.
    case waiting
    /// The median and the 99th percentile of milliseconds from a command's arrival until its effects were written to
    /// sockets.
    case wholeWay50, wholeWay99
    /// The 99th percentile of milliseconds in which batches became durable.
    case durable99
    /// The processor seconds a second.
    case processor
    /// The resident bytes.
    case memory
  }

  struct Sample: Sendable {
    let at: Int64
    /// The values; nil for a figure without observations.
    let values: [Double?]
  }

  private struct Counted {
    var nanoseconds: UInt64
    var numbers: [String: Double] = [:]
    var histograms: [String: HistogramCounts] = [:]
    var processorSeconds: Double?
  }

  private struct Ring {
    var samples: [Sample] = []
    var next = 0
    var before: Counted?

    mutating func append(_ sample: Sample, _ countMax: Int) {
      if samples.count < countMax {
        samples.append(sample)
      } else {
        samples[next] = sample
        next = (next + 1) % countMax
      }
    }
  }

  private let registry: MetricsRegistry
  private let services: GatewayServices
  private let rings = Mutex<[Step: Ring]>([:])

  init(_ registry: MetricsRegistry, _ services: GatewayServices) {
    (self.registry, self.services) = (registry, services)
  }

  /// Takes samples for as long as the ring exists.
  func start() {
    Task.detached(priority: .utility) { [weak self] in
      while !Task.isCancelled {
        guard self != nil else { return }
        await BlockingThread.run { [weak self] in self?.take() }
        try? await Task.sleep(for: .milliseconds(Step.fine.milliseconds))
      }
    }
  }

  /// Returns the samples after a time, the oldest first.
  func samples(after at: Int64, _ step: Step = .fine) -> [Sample] {
    let ring = rings.withLock { $0[step] ?? Ring() }
    return (ring.samples[ring.next...] + ring.samples[..<ring.next]).filter { $0.at > at }
  }

  private func take() {
    let now = counted()
    let databases = services.databases.openDatabases.prefix(Self.databasesMax).map { $0.figures() }
    let memory = ProcessStatistics.residentBytes().map(Double.init)
    rings.withLock { rings in
      for step in Step.allCases {
        var ring = rings[step] ?? Ring()
        defer { rings[step] = ring }
        guard let before = ring.before, now.nanoseconds > before.nanoseconds else {
          ring.before = now
          continue
        }
        // A slightly early sample counts for its scheduled time.
        guard (now.nanoseconds - before.nanoseconds) / 1_000_000 + 500 >= UInt64(step.milliseconds) else { continue }
        let values = Self.values(now, since: before, databases, memory)
        ring.append(Sample(at: Clock.wallMilliseconds, values: values), step.countMax)
        ring.before = now
      }
    }
  }

  private static func values(
    _ now: Counted, since before: Counted, _ databases: [DatabaseFigures], _ memory: Double?
  ) -> [Double?] {
    let seconds = Double(now.nanoseconds - before.nanoseconds) / 1e9
    func rate(_ metric: MetricDescription) -> Double {
      max(0, (now.numbers[metric.name] ?? 0) - (before.numbers[metric.name] ?? 0)) / seconds
    }
    func milliseconds(_ metric: MetricDescription, _ share: Double) -> Double? {
      now.histograms[metric.name]?.quantile(share, since: before.histograms[metric.name]).map { $0 * 1_000 }
    }
    return Figure.allCases.map { figure in
      switch figure {
      case .writes: rate(.commits)
      case .refused: rate(.denials)
      case .cancelled: rate(.cancellations)
      case .connections: Double(databases.reduce(0) { $0 + $1.connectionCount })
      case .listens: Double(databases.reduce(0) { $0 + $1.listenCount })
      case .waiting: Double(databases.reduce(0) { $0 + $1.waitingCommandCount })
      case .wholeWay50: milliseconds(.commandLatency, 0.5)
      case .wholeWay99: milliseconds(.commandLatency, 0.99)
      case .durable99: milliseconds(.sync, 0.99)
      case .processor:
        now.processorSeconds.flatMap { now in before.processorSeconds.map { max(0, now - $0) / seconds } }
      case .memory: memory
      }
    }
  }

  /// Returns the current counts, of all series together.
  private func counted() -> Counted {
    var counted = Counted(nanoseconds: Clock.monotonicNanoseconds, processorSeconds: ProcessStatistics.processorSeconds)
    for family in registry.families() {
      let name = family.description.name
      for series in family.series {
        switch series.value {
        case .number(let value): counted.numbers[name, default: 0] += value
        case .histogram(let value): counted.histograms[name] = value
        }
      }
    }
    return counted
  }

  /// Returns JSON for the page: `{"intervalMilliseconds", "figures": ["writes", …], "samples": [[at, value, …]]}`.
  func json(after at: Int64, _ step: Step = .fine) -> JSON {
    [
      "intervalMilliseconds": .int(step.milliseconds),
      "figures": .array(Figure.allCases.map { .string($0.rawValue) }),
      "samples": .array(
        samples(after: at, step).map { sample in
          .array([.int(sample.at)] + sample.values.map { value in value.map { .double($0) } ?? .null })
        }),
    ]
  }
}

extension HistogramCounts {
  /// Returns the bound below which this share of the new observations is; nil when there are none.
  ///
  /// Values beyond the last bound count as that bound.
  func quantile(_ share: Double, since before: HistogramCounts?) -> Double? {
    let new = counts.enumerated().map { index, count in
      let old = before.flatMap { index < $0.counts.count ? $0.counts[index] : nil } ?? 0
      return count >= old ? count - old : 0
    }
    let total = new.reduce(0, +)
    guard total > 0 else { return nil }
    let wanted = share * Double(total)
    var (below, lower) = (0.0, 0.0)
    for (index, count) in new.enumerated() {
      let upper = index < bounds.count ? bounds[index] : bounds.last ?? 0
      if below + Double(count) >= wanted, count > 0 {
        return lower + (upper - lower) * (wanted - below) / Double(count)
      }
      below += Double(count)
      lower = upper
    }
    return bounds.last
  }
}
