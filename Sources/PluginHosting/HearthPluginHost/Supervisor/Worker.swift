/// One process of a plugin, as the supervisor sees it.
struct Worker {
  enum State: Equatable {
    /// No process; one is started at that time.
    case waiting(until: Int64)
    /// Started, and not heard of yet.
    case starting(until: Int64)
    /// Answers.
    case ready(since: Int64)
    /// Its input is closed; it is killed at that time.
    case ending(until: Int64)
    /// Killed; its end is still to be heard of.
    case killed
    /// No process, and none is started again.
    case off
  }

  /// A request that the process has.
  struct Held: Equatable {
    /// Nil when nobody waits for it any more, with the time when it was given up.
    var abandonedAt: Int64?
  }

  var state = State.off
  var held: [UInt64: Held] = [:]
  var faultCount = 0
  /// Crashes in a row.
  var crashCount = 0
  var restartCount = 0
  /// Bytes that it has not read yet.
  var unreadBytes = 0
  /// Why it was killed, when it was.
  var reason: String?

  var isReady: Bool { if case .ready = state { true } else { false } }
  /// There is something for it to do.
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
