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
  mutating func endCommand(of payer: WorkPayer?) {
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

extension QueryCost {
  /// Entries and children that were looked at or changed: each takes about as long as a step of a rule.
  var total: Int { entriesRead &+ entriesWritten &+ childrenScanned }
}
