import HearthRules
import HearthTree

/// Large writes: set aside, decided in the background, and settled here.
extension Engine {
  /// Settles a write that was decided in the background. It is set aside again when data that it depends on has
  /// changed, or when its principal has.
  public mutating func settle(_ write: DecidedWrite, at instant: Instant) -> Batch {
    (settling, queries.ready) = (write, write.indexes)
    defer { (settling, queries.ready) = (nil, []) }
    return decide([write.write.command], at: instant).noting(write.steps, of: write.write.command)
  }

  /// Decides a command whose comparison was made in the background.
  ///
  /// - Parameter isLast: True to decide in any case, even when the compared data has changed. A write is stale then,
  ///   and a listener receives all data.
  public mutating func settle(_ result: ComparisonResult, at instant: Instant, isLast: Bool) -> Batch {
    comparing = result
    comparing?.isLast = isLast
    queries.found = result.comparison.found
    defer { (comparing, queries.found) = (nil, nil) }
    result.keep(in: &hashes)
    let command = result.comparison.command
    return decide([command], at: instant, settingAside: true).noting(result.steps, of: command)
  }

  /// Decides a command whose query was evaluated in the background.
  ///
  /// - Parameter isLast: True when the command is not set aside again after changes of its location.
  public mutating func settle(_ found: FoundQuery, at instant: Instant, isLast: Bool) -> Batch {
    queries.found = found
    queries.found?.isLast = isLast
    defer { queries.found = nil }
    let command = found.query.command
    return decide([command], at: instant, settingAside: true).noting(found.steps, of: command)
  }

  /// True when the current batch ends with a command that continues in the background.
  var hasSetAside: Bool { largeCommand != nil }

  /// True when the current batch settles a command that was set aside.
  var isSettling: Bool { settling != nil || comparing != nil || queries.found != nil }

  /// Returns true when a write takes long because of its size and of the indexes that it rebuilds.
  private func isLarge(_ operation: WriteOperation) -> Bool {
    let (change, bytesMax) = (operation.change, limits.largeWriteBytes)
    if change.isLarge(sizeBytesMax: bytesMax) { return true }
    guard listens.shelfCount > 0, change.isLarge(sizeBytesMax: bytesMax / 16) else { return false }
    return change.isLarge(sizeBytesMax: bytesMax / (1 + listens.neededOrders(below: operation.path).count))
  }

  /// Decides a write, or sets it aside when the caller supports that and it would take long.
  mutating func perform(_ command: Command, _ operation: WriteOperation) {
    if let settling { return settling.settle(command, operation, in: &self) }
    if notes != nil {
      let principal = principal(of: command)
      notes?.note(operation, by: principal, state, now, limits)
    }
    guard setsAside else { return write(command, operation) }
    if isLarge(operation) { return LargeWrite.setAside(command, operation, in: &self) }
    let (effectCount, caseCount, tally) = (effects.count, tap?.caseCount ?? 0, tally)
    stepsInLineMax = limits.largeWriteSteps
    write(command, operation)
    stepsInLineMax = nil
    guard isOverlong || hasSetAside else { return }
    // The only effect was a refusal that does not count.
    effects.removeSubrange(effectCount...)
    self.tally = tally
    tap?.forget(from: caseCount)
    guard isOverlong else { return }
    isOverlong = false
    LargeWrite.setAside(command, operation, in: &self)
  }
}

extension Batch {
  /// Returns the batch with background work for its command, or unchanged when the command was not decided.
  fileprivate func noting(_ steps: Int, of command: Command) -> Batch {
    guard commandCount > 0, steps >= EngineLimits.notedStepsMin else { return self }
    var batch = self
    batch.besideWork.append(ConnectionWork(WorkPayer(command), steps: steps))
    return batch
  }
}
