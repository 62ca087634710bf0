/// The time that tests wait for what comes by itself. Nothing has to be quick: a wait ends with what it waits for, and a
/// machine that is busy with other things takes its time. The bound only keeps a run from hanging for ever.
package enum Patience {
  /// A minute.
  package static let seconds = 60

  /// Waits until something is so.
  ///
  /// - Returns: false when it was not for ``seconds``.
  @discardableResult
  package static func until(
    isolation: isolated (any Actor)? = #isolation, _ isSo: () async throws -> Bool
  ) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try await !isSo() {
      guard ContinuousClock.now < deadline else { return false }
      try await Task.sleep(for: .milliseconds(2))
    }
    return true
  }
}
