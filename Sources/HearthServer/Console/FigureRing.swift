import HearthDatabase
import HearthGateway
import HearthMetrics
import HearthSystem
import HearthTree
import Synchronization

/// How the server did in the last hour, a sample each ``intervalMilliseconds``: rates since the sample before, and levels.
///
/// A sample reads what was counted anyway; it is taken whether somebody looks or not, so that whoever opens the console
/// sees the hour before.
final class FigureRing: Sendable {
  static let intervalMilliseconds: Int64 = 2_000
  /// An hour.
  static let countMax = 1_800
  /// Of more databases, the levels of the first are told.
  static let databasesMax = 256

  /// What a sample tells, in the order of its values.
  enum Figure: String, CaseIterable {
    /// Commits a second, of all databases.
    case writes
    /// Refusals of rules a second.
    case refused
    /// Listens that lost their permission, a second.
    case cancelled
    /// Clients that databases know.
    case connections
    /// Granted listens.
    case listens
    /// Commands that wait to be decided.
    case waiting
    /// Milliseconds from a command's arrival until its effects were written to sockets: half took no more, and 99 of 100.
    case wholeWay50, wholeWay99
    /// Milliseconds in which batches became durable; 99 of 100 took no more.
    case durable99
    /// Processor seconds a second.
    case processor
    /// Resident bytes.
    case memory
  }

  struct Sample: Sendable {
    let at: Int64
    /// Nil where nothing happened that could be measured.
    let values: [Double?]
  }

  private struct Counted {
    var nanoseconds: UInt64
    var numbers: [String: Double] = [:]
    var histograms: [String: HistogramCounts] = [:]
    var processorSeconds: Double?
  }

  private struct State {
    var samples: [Sample] = []
    var next = 0
    var before: Counted?
  }

  private let registry: MetricsRegistry
  private let services: GatewayServices
  private let state = Mutex(State())

  init(_ registry: MetricsRegistry, _ services: GatewayServices) {
    (self.registry, self.services) = (registry, services)
  }

  /// Takes samples for as long as somebody holds the ring.
  func start() {
    Task.detached(priority: .utility) { [weak self] in
      while !Task.isCancelled {
        guard self != nil else { return }
        await BlockingThread.run { [weak self] in self?.take() }
        try? await Task.sleep(for: .milliseconds(FigureRing.intervalMilliseconds))
      }
    }
  }

  /// Samples behind a time, the oldest first.
  func samples(after at: Int64) -> [Sample] {
    state.withLock { state in (state.samples[state.next...] + state.samples[..<state.next]).filter { $0.at > at } }
  }

  private func take() {
    let now = counted()
    let databases = services.databases.openDatabases.prefix(Self.databasesMax).map { $0.figures() }
    let memory = ProcessFigures.residentBytes().map(Double.init)
    state.withLock { state in
      defer { state.before = now }
      guard let before = state.before, now.nanoseconds > before.nanoseconds else { return }
      let seconds = Double(now.nanoseconds - before.nanoseconds) / 1e9
      func rate(_ metric: MetricDescription) -> Double {
        max(0, (now.numbers[metric.name] ?? 0) - (before.numbers[metric.name] ?? 0)) / seconds
      }
      func milliseconds(_ metric: MetricDescription, _ share: Double) -> Double? {
        now.histograms[metric.name]?.quantile(share, since: before.histograms[metric.name]).map { $0 * 1_000 }
      }
      let values: [Double?] = Figure.allCases.map { figure in
        switch figure {
        case .writes: rate(.commits)
        case .refused: rate(.denials)
        case .cancelled: rate(.cancellations)
        case .connections: Double(databases.reduce(0) { $0 + $1.connectionCount })
        case .listens: Double(databases.reduce(0) { $0 + $1.listenCount })
        case .waiting: Double(databases.reduce(0) { $0 + $1.waitingCommandCount })
        case .wholeWay50: milliseconds(.wholeWay, 0.5)
        case .wholeWay99: milliseconds(.wholeWay, 0.99)
        case .durable99: milliseconds(.sync, 0.99)
        case .processor:
          now.processorSeconds.flatMap { now in before.processorSeconds.map { max(0, now - $0) / seconds } }
        case .memory: memory
        }
      }
      let sample = Sample(at: Clock.wallMilliseconds, values: values)
      if state.samples.count < Self.countMax {
        state.samples.append(sample)
      } else {
        state.samples[state.next] = sample
        state.next = (state.next + 1) % Self.countMax
      }
    }
  }

  /// What was counted until now, of all series together.
  private func counted() -> Counted {
    var counted = Counted(nanoseconds: Clock.monotonicNanoseconds, processorSeconds: ProcessFigures.processorSeconds)
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

  /// For the page: `{"intervalMilliseconds", "figures": ["writes", …], "samples": [[at, value, …]]}`.
  func json(after at: Int64) -> JSON {
    .object([
      .init("intervalMilliseconds", .int(Self.intervalMilliseconds)),
      .init("figures", .array(Figure.allCases.map { .string($0.rawValue) })),
      .init(
        "samples",
        .array(
          samples(after: at).map { sample in
            .array([.int(sample.at)] + sample.values.map { value in value.map { .double($0) } ?? .null })
          })),
    ])
  }
}

extension HistogramCounts {
  /// The bound below which this share of the observations is that came since; nil when none came.
  ///
  /// What is beyond the last bound counts as that bound.
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
