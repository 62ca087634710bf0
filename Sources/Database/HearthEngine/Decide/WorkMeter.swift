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
  /// The effects and bytes of records of the batch under way, and the cost of all queries, before the command.
  private var before = (effectCount: 0, recordBytes: 0, querySteps: 0)

  init(limits: EngineLimits) {
    self.limits = limits
    (redecisionStepsLeft, batchStepsLeft) = (limits.redecisionStepsInLine, limits.stepsPerBatch)
  }

  mutating func beginBatch() {
    (redecisionStepsLeft, batchStepsLeft) = (limits.redecisionStepsInLine, limits.stepsPerBatch)
  }

  mutating func beginCommand(effectCount: Int = 0, recordBytes: Int = 0, querySteps: Int = 0) {
    (redecisionStepsLeft, stepsTaken) = (limits.redecisionStepsInLine, 0)
    before = (effectCount, recordBytes, querySteps)
  }

  /// Notes what the command under way took, and what telling listeners of its record will take.
  ///
  /// - Parameter querySteps: The cost of all queries so far.
  mutating func endCommand(of payer: WorkPayer?, effects: [Effect], recordBytes: Int, querySteps: Int) {
    stepsTaken += querySteps &- before.querySteps
    let bytes = recordBytes - before.recordBytes
    if bytes > 0 {
      let count = effects[min(before.effectCount, effects.count)...].reduce(0) { $0 + $1.listenerCount }
      stepsTaken += count * (bytes / EngineLimits.deliveredBytesPerStep)
    }
    note(stepsTaken + limits.redecisionStepsInLine - redecisionStepsLeft, of: payer)
  }

  /// Adds steps that a command caused; fewer than ``EngineLimits/notedStepsMin`` are not noted.
  mutating func note(_ steps: Int, of payer: WorkPayer?) {
    batchStepsLeft -= steps
    guard let payer, steps >= EngineLimits.notedStepsMin else { return }
    work.append(ConnectionWork(payer, steps: steps))
  }

  /// What was noted in the batch.
  mutating func take() -> [ConnectionWork] {
    if work.isEmpty { return work }
    defer { work = [] }
    return work
  }
}

extension Effect {
  /// The listeners that are told of a change.
  fileprivate var listenerCount: Int {
    switch self {
    case .event(_, let recipients): recipients.count
    case .queryEvent(_, let recipients): recipients.count
    case .reply, .redecided, .authenticationEnded, .denied: 0
    }
  }
}

extension QueryCost {
  /// Entries and children that were looked at or changed: each takes about as long as a step of a rule.
  var total: Int { entriesRead &+ entriesWritten &+ childrenScanned }
}
