import HearthTree

/// Counts the steps that commands take, so that none takes more than its share.
struct WorkMeter {
  private let limits: EngineLimits
  /// Steps that the command under way may still take to decide listens again.
  var redecisionStepsLeft: Int
  /// Steps that the commands of the batch under way may still take.
  private(set) var batchStepsLeft: Int
  /// Steps that the command under way has taken so far, beside those.
  var stepsTaken = 0
  private var work: [ConnectionWork] = []

  init(limits: EngineLimits) {
    self.limits = limits
    (redecisionStepsLeft, batchStepsLeft) = (limits.redecisionStepsInLine, limits.stepsPerBatch)
  }

  mutating func beginBatch() {
    (redecisionStepsLeft, batchStepsLeft) = (limits.redecisionStepsInLine, limits.stepsPerBatch)
  }

  mutating func beginCommand() { (redecisionStepsLeft, stepsTaken) = (limits.redecisionStepsInLine, 0) }

  /// Notes what the command under way took.
  mutating func endCommand(of connection: ConnectionID?) {
    note(stepsTaken + limits.redecisionStepsInLine - redecisionStepsLeft, of: connection)
  }

  /// Adds steps that a connection caused, if they are worth a word.
  mutating func note(_ steps: Int, of connection: ConnectionID?) {
    batchStepsLeft -= steps
    guard let connection, steps >= EngineLimits.notedStepsMin else { return }
    work.append(ConnectionWork(connection, steps: steps))
  }

  /// What was noted in the batch.
  mutating func take() -> [ConnectionWork] {
    if work.isEmpty { return work }
    defer { work = [] }
    return work
  }
}

/// Steps that a connection's command took, or what was decided because of it.
public struct ConnectionWork: Sendable, Equatable {
  /// The connection that caused it.
  public var connection: ConnectionID
  /// Steps of rules, and as many for other work as would have taken the same time.
  public var steps: Int

  /// Steps of a connection.
  public init(_ connection: ConnectionID, steps: Int) { (self.connection, self.steps) = (connection, steps) }
}

extension QueryCost {
  /// Entries and children that were looked at or changed: each takes about as long as a step of a rule.
  var total: Int { entriesRead &+ entriesWritten &+ childrenScanned }
}
