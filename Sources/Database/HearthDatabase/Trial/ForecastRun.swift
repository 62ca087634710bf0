import HearthEngine
import HearthRules
import HearthTrial
import Synchronization

/// The closures through which a forecast reads a database, a small part at a time.
struct ForecastSource: Sendable {
  /// Returns the present connections.
  var connections: @Sendable () -> [ConnectionID]
  /// Returns the listens of some of them.
  var listens: @Sendable (_ ids: ArraySlice<ConnectionID>) -> StandingListens
  /// Returns the newest durable state.
  var state: @Sendable () -> DatabaseState
}

/// A forecast under way: first the listeners, then the stored data.
final class ForecastRun: Sendable {
  private struct Work: ~Copyable {
    var forecast: TrialForecast
    var connections: ArraySlice<ConnectionID>?
    var listeners: ListenerCheck
    var data: StoredDataCheck?
  }

  private let rules: RuleSet
  private let source: ForecastSource
  private let limits: TrialLimits
  private let started: Instant
  private let work: Mutex<Work>

  init(of rules: RuleSet, from source: ForecastSource, at now: Instant, limits: TrialLimits) {
    self.rules = rules
    self.source = source
    self.limits = limits
    started = now
    work = Mutex(
      Work(
        forecast: TrialForecast(startedMilliseconds: now.wallMilliseconds),
        listeners: ListenerCheck(of: rules, limits: limits)))
  }

  /// The findings so far.
  var forecast: TrialForecast { work.withLock { $0.forecast } }

  /// Evaluates one slice of the listeners or of the stored data.
  func advance(at now: Instant, isCancelled: Bool) -> TrialForecast.State {
    work.withLock { work in
      work.forecast.tookMilliseconds = now.monotonicMilliseconds - started.monotonicMilliseconds
      if isCancelled {
        work.forecast.state = .cancelled
      } else if work.forecast.tookMilliseconds > limits.forecastSecondsMax * 1_000 {
        work.forecast.state = .timedOut
      } else if !evaluateListeners(&work, now) {
        evaluateData(&work, now)
      }
      return work.forecast.state
    }
  }

  /// - Returns: False when all listeners were examined.
  private func evaluateListeners(_ work: inout Work, _ now: Instant) -> Bool {
    let left = work.connections ?? source.connections()[...]
    guard !left.isEmpty else { return false }
    let standing = source.listens(left)
    for listen in standing.listens {
      work.listeners.judge(listen, on: standing.state, nowMilliseconds: now.wallMilliseconds)
    }
    work.connections = left.dropFirst(max(1, standing.connectionCount))
    work.forecast.listeners = work.listeners.forecast
    return true
  }

  private func evaluateData(_ work: inout Work, _ now: Instant) {
    if work.connections == nil { work.connections = [] }
    if work.data == nil {
      work.data = StoredDataCheck(of: rules, on: source.state(), nowMilliseconds: now.wallMilliseconds, limits: limits)
    }
    work.data?.advance()
    guard let forecast = work.data?.forecast, let isAtEnd = work.data?.isAtEnd else { return }
    work.forecast.data = forecast
    guard isAtEnd else { return }
    work.forecast.state = .complete
    work.data = nil
  }
}
