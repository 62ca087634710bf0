import HearthRules
import HearthTree

/// Large writes: set aside, decided in the background, and settled here.
extension Engine {
  /// Settles a write that was decided in the background. It is set aside again when data that it depends on has
  /// changed, or when its principal has.
  public mutating func settle(_ write: DecidedWrite, at instant: Instant) -> Batch {
    (settling, queries.ready, queries.evaluations.results) = (write, write.indexes, write.ownQueries)
    defer { (settling, queries.ready, queries.evaluations.results) = (nil, [], []) }
    return decide([write.write.command], at: instant).noting(write.steps, of: write.write.command)
  }

  /// True when the current batch ends with a command that continues in the background.
  var hasSetAside: Bool { largeCommand != nil }

  /// True when the current batch settles a command that was set aside.
  var isSettling: Bool { settling != nil || comparing != nil || queries.found != nil }

  /// Decides a write, or sets it aside when the caller supports that and it would take long.
  mutating func perform(_ command: Command, _ operation: WriteOperation) {
    if let settling { return settling.settle(command, operation, in: &self) }
    if notes != nil {
      let principal = principal(of: command)
      notes?.note(operation, by: principal, state, now, limits)
    }
    guard setsAside else { return write(command, operation) }
    if LargeWrite.takesLong(operation, in: self) { return LargeWrite.setAside(command, operation, in: &self) }
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
