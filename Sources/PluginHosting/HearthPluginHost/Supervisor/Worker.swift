/// A process of a plugin, as the supervisor sees it.
struct Worker {
  enum State: Equatable {
    /// The state without a process; one is started at that time.
    case waiting(until: Int64)
    /// The process was started, and has not said hello yet.
    case starting(until: Int64)
    /// The process answers requests.
    case ready(since: Int64)
    /// The process's input is closed; it is killed at that time.
    case ending(until: Int64)
    /// The process was killed; its end is not reported yet.
    case killed
    /// The state without a process; none is started again.
    case off
  }

  /// A request that the process has.
  struct InFlightRequest: Equatable {
    /// The time when the caller gave up; nil while it waits.
    var abandonedAt: Int64?
  }

  var state = State.off
  var inFlight: [UInt64: InFlightRequest] = [:]
  var faultCount = 0
  /// The number of crashes in a row.
  var crashCount = 0
  var restartCount = 0
  /// The number of sent bytes that the process has not read yet.
  var unreadBytes = 0
  /// The reason why the process was killed; nil when it was not.
  var reason: String?

  var isReady: Bool { if case .ready = state { true } else { false } }
  /// True when the process has work to do or is needed.
  var isExpected: Bool {
    switch state {
    case .starting, .ready: true
    case .waiting, .ending, .killed, .off: false
    }
  }
  var hasProcess: Bool {
    switch state {
    case .starting, .ready, .ending, .killed: true
    case .waiting, .off: false
    }
  }
}
