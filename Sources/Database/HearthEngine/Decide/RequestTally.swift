/// How the requests of a batch were answered, in numbers, for whoever watches the server. The engine itself does not look
/// at them.
public struct RequestTally: Sendable, Equatable {
  /// What became of a request to write.
  public enum WriteOutcome: Int, Sendable, CaseIterable {
    /// It was decided and is durable once its batch is; also one that changed nothing.
    case written
    /// Something else was there than it expected.
    case stale
    /// The rules refused it.
    case denied
    /// It could not be stored by anybody: its path, its value, its size.
    case invalid
    /// The server could not do it.
    case unavailable
  }

  /// What became of a request to listen.
  public enum ListenOutcome: Int, Sendable, CaseIterable {
    /// The rules granted it.
    case granted
    /// The rules refused it.
    case denied
    /// Anything else was in the way.
    case failed
  }

  /// By ``WriteOutcome``.
  private var writes = (0, 0, 0, 0, 0)
  /// By ``ListenOutcome``.
  private var listens = (0, 0, 0)

  /// Nothing yet.
  public init() {}

  /// Returns the number of writes that came to that.
  public subscript(outcome: WriteOutcome) -> Int {
    switch outcome {
    case .written: writes.0
    case .stale: writes.1
    case .denied: writes.2
    case .invalid: writes.3
    case .unavailable: writes.4
    }
  }

  /// Returns the number of listens that came to that.
  public subscript(outcome: ListenOutcome) -> Int {
    switch outcome {
    case .granted: listens.0
    case .denied: listens.1
    case .failed: listens.2
    }
  }

  /// Counts the answer to a request; those that are neither writes nor listens are nobody's.
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

  /// The answer to somebody who waited to write, which it counts.
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

extension Engine {
  mutating func reply(_ command: Command, _ reply: Reply) {
    tally.note(command.action, reply)
    guard let request = command.request else { return }
    effects.append(.reply(command.connection, request: request, reply))
  }

  mutating func fail(_ command: Command, _ failure: Failure) { reply(command, .failure(failure)) }
}
