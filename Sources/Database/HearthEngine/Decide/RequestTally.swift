/// The counts of answers to a batch's requests, for metrics. The engine itself does not use them.
public struct RequestTally: Sendable, Equatable {
  /// The outcome of a write request.
  public enum WriteOutcome: Int, Sendable, CaseIterable {
    /// Decided, and durable once its batch is; also a write without changes.
    case written
    /// The present data differed from the expected data.
    case stale
    /// The rules refused it.
    case denied
    /// The path, value or size was invalid.
    case invalid
    /// The server was unable to store it.
    case unavailable
  }

  /// The outcome of a listen request.
  public enum ListenOutcome: Int, Sendable, CaseIterable {
    /// The rules granted it.
    case granted
    /// The rules refused it.
    case denied
    /// The listen failed for another reason.
    case failed
  }

  /// The counts by ``WriteOutcome``.
  private var writes = (0, 0, 0, 0, 0)
  /// The counts by ``ListenOutcome``.
  private var listens = (0, 0, 0)

  /// Creates empty counts.
  public init() {}

  /// Returns the number of writes with that outcome.
  public subscript(outcome: WriteOutcome) -> Int {
    switch outcome {
    case .written: writes.0
    case .stale: writes.1
    case .denied: writes.2
    case .invalid: writes.3
    case .unavailable: writes.4
    }
  }

  /// Returns the number of listens with that outcome.
  public subscript(outcome: ListenOutcome) -> Int {
    switch outcome {
    case .granted: listens.0
    case .denied: listens.1
    case .failed: listens.2
    }
  }

  /// Counts the answer to a request, if it is a write or a listen.
  mutating func note(_ action: Command.Action, _ reply: Reply) {
    switch action {
    case .write, .transact: noteWrite(reply)
    case .listen: noteListen(reply)
    default: break
    }
  }

  /// Counts the answer to a write.
  mutating func noteWrite(_ reply: Reply) {
    switch reply {
    case .ok, .written: writes.0 += 1
    case .stale: writes.1 += 1
    case .failure(let failure):
      switch failure.code {
      case .permissionDenied: writes.2 += 1
      case .invalidPath, .invalidData, .writeTooBig, .tooManyListens, .indexNotDefined, .tooManyOnDisconnects:
        writes.3 += 1
      case .unknownConnection, .unavailable, .noSpace, .outcomeUnknown: writes.4 += 1
      }
    case .listening, .result, .value: break
    }
  }

  /// Counts and returns the answer to a waiting write.
  mutating func answer(_ waiter: TurnQueue.Waiter, _ reply: Reply) -> Effect {
    noteWrite(reply)
    return .reply(waiter.connection, request: waiter.request, reply)
  }

  private mutating func noteListen(_ reply: Reply) {
    switch reply {
    case .listening, .ok: listens.0 += 1
    case .failure(let failure) where failure.code == .permissionDenied: listens.1 += 1
    case .failure: listens.2 += 1
    case .result, .value, .written, .stale: break
    }
  }

  public static func == (one: RequestTally, other: RequestTally) -> Bool {
    one.writes == other.writes && one.listens == other.listens
  }
}
