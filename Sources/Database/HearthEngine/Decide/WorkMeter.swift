import HearthTree

/// A counter of the steps of commands. It limits the steps of each command's redecisions and of each batch.
struct WorkMeter {
  private let limits: EngineLimits
  /// The steps that the current command may still use for redecisions.
  var redecisionStepsLeft: Int
  /// The steps that the commands of the current batch may still use.
  private(set) var batchStepsLeft: Int
  /// The steps of the current command so far, apart from those of redecisions.
  var stepsTaken = 0
  private var work: [ConnectionWork] = []
  /// The steps of the current slice by payer.
  private var slice: [WorkPayer: Int] = [:]
  /// The effects and record bytes of the current batch, and the steps of all indexes, before the command.
  private var before = (effectCount: 0, recordBytes: 0, indexSteps: 0)

  init(limits: EngineLimits) {
    self.limits = limits
    (redecisionStepsLeft, batchStepsLeft) = (limits.inlineRedecisionStepsMax, limits.stepsPerBatch)
  }

  mutating func beginBatch() {
    (redecisionStepsLeft, batchStepsLeft) = (limits.inlineRedecisionStepsMax, limits.stepsPerBatch)
  }

  mutating func beginCommand(effectCount: Int = 0, recordBytes: Int = 0, indexSteps: Int = 0) {
    (redecisionStepsLeft, stepsTaken) = (limits.inlineRedecisionStepsMax, 0)
    before = (effectCount, recordBytes, indexSteps)
  }

  /// Records the steps of the current command, including the delivery of its record to listeners.
  ///
  /// - Parameter indexSteps: The steps of all indexes so far.
  mutating func endCommand(of payer: WorkPayer?, effects: [Effect], recordBytes: Int, indexSteps: Int) {
    stepsTaken += indexSteps &- before.indexSteps
    let bytes = recordBytes - before.recordBytes
    if bytes > 0 {
      let count = effects[min(before.effectCount, effects.count)...].reduce(0) { $0 + $1.listenerCount }
      stepsTaken += count * (bytes / EngineLimits.deliveredBytesPerStep)
    }
    note(stepsTaken + limits.inlineRedecisionStepsMax - redecisionStepsLeft, of: payer)
  }

  /// Reports the steps of one command; fewer than ``EngineLimits/notedStepsMin`` are not reported.
  mutating func note(_ steps: Int, of payer: WorkPayer?) {
    batchStepsLeft -= steps
    guard let payer, steps >= EngineLimits.notedStepsMin else { return }
    work.append(ConnectionWork(payer, steps: steps))
  }

  /// Adds steps of the current slice to a payer's; `payer` is nil when no client pays for them.
  mutating func add(_ steps: Int, of payer: WorkPayer?) {
    if let payer { slice[payer, default: 0] += steps } else { batchStepsLeft -= steps }
  }

  /// Records the steps of the current slice.
  mutating func endSlice() {
    guard !slice.isEmpty else { return }
    for (payer, steps) in slice.sorted(by: { $0.key.connection.rawValue < $1.key.connection.rawValue }) {
      note(steps, of: payer)
    }
    slice = [:]
  }

  /// Returns the reported work of the batch.
  mutating func take() -> [ConnectionWork] {
    if work.isEmpty { return work }
    defer { work = [] }
    return work
  }
}

extension Engine {
  /// The cost of live queries and indexes so far. A `get` counts here only when it created an index.
  public var queryCost: QueryCost { queries.cost }

  /// The steps that live queries, their indexes and the listens' index have taken so far.
  private var indexSteps: Int { queries.cost.total &+ listens.stepsTaken }

  /// Begins to count the steps of a command, or of a write that has waited for its turn.
  mutating func beginCommand(paidBy payer: WorkPayer?) {
    meter.add(reads.takeSteps(), of: nil)
    redecisions.payer = payer
    meter.beginCommand(effectCount: effects.count, recordBytes: payload.count, indexSteps: indexSteps)
  }

  /// Reports the steps of the command.
  mutating func endCommand() {
    reads.endPlan()
    meter.stepsTaken += reads.takeSteps()
    meter.endCommand(
      of: redecisions.payer, effects: effects, recordBytes: payload.count, indexSteps: indexSteps)
  }
}

extension Effect {
  /// The number of listeners that receive a change.
  fileprivate var listenerCount: Int {
    switch self {
    case .event(_, let recipients): recipients.count
    case .queryEvent(_, let recipients): recipients.count
    case .reply, .redecided, .authenticationEnded, .denied: 0
    }
  }
}

extension QueryCost {
  /// The number of examined or changed entries and children: each takes about as long as a step of the rules.
  var total: Int { entriesRead &+ entriesWritten &+ childrenScanned }
}
