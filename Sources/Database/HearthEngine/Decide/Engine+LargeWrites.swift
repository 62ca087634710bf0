import HearthRules
import HearthTree

/// Writes that take long to decide: set aside, decided elsewhere, and settled here.
extension Engine {
  /// Makes a write so that was set aside and decided meanwhile. When something that it was decided from is different
  /// now, or somebody else asks, it is set aside again.
  public mutating func settle(_ write: DecidedWrite, at instant: Instant) -> Batch {
    (settling, queries.ready) = (write, write.indexes)
    defer { (settling, queries.ready) = (nil, []) }
    return decide([write.write.command], at: instant).noting(write.steps, of: write.write.command)
  }

  /// Decides a command whose comparison was made meanwhile.
  ///
  /// - Parameter isLast: It is not set aside again because of a change of what was compared. A write is then late, and a
  ///   listener is sent all there is.
  public mutating func settle(_ result: ComparisonResult, at instant: Instant, isLast: Bool) -> Batch {
    comparing = result
    comparing?.isLast = isLast
    queries.found = result.comparison.found
    defer { (comparing, queries.found) = (nil, nil) }
    result.keep(in: &hashes)
    let command = result.comparison.command
    return decide([command], at: instant, settingAside: true).noting(result.steps, of: command)
  }

  /// Decides a command whose query was worked out meanwhile.
  ///
  /// - Parameter isLast: True when it is not set aside again because too much of its place has changed.
  public mutating func settle(_ found: FoundQuery, at instant: Instant, isLast: Bool) -> Batch {
    queries.found = found
    queries.found?.isLast = isLast
    defer { queries.found = nil }
    let command = found.query.command
    return decide([command], at: instant, settingAside: true).noting(found.steps, of: command)
  }

  /// True when the batch under way ends with a command that is worked on elsewhere.
  var hasSetAside: Bool { largeCommand != nil }

  /// True when the batch under way settles a command that was set aside.
  var isSettling: Bool { settling != nil || comparing != nil || queries.found != nil }

  /// Returns true when a write takes long by its size, and by the orders of children that it makes new.
  private func isLarge(_ operation: WriteOperation) -> Bool {
    let (change, bytesMax) = (operation.change, limits.largeWriteBytes)
    if change.isLarge(sizeBytesMax: bytesMax) { return true }
    guard listens.shelfCount > 0, change.isLarge(sizeBytesMax: bytesMax / 16) else { return false }
    return change.isLarge(sizeBytesMax: bytesMax / (1 + listens.neededOrders(below: operation.path).count))
  }

  /// Decides a write, or sets it aside when that is wanted and would take long.
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
    // Nothing has come of it but a refusal that does not count.
    effects.removeSubrange(effectCount...)
    self.tally = tally
    tap?.forget(from: caseCount)
    guard isOverlong else { return }
    isOverlong = false
    LargeWrite.setAside(command, operation, in: &self)
  }
}

extension Batch {
  /// The batch with work that was done elsewhere for its command; without it when the command was not decided.
  fileprivate func noting(_ steps: Int, of command: Command) -> Batch {
    guard commandCount > 0, steps >= EngineLimits.notedStepsMin else { return self }
    var batch = self
    batch.besideWork.append(ConnectionWork(WorkPayer(command), steps: steps))
    return batch
  }
}
