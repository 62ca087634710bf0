/// The timeout of tests that wait for a condition. A wait ends with its condition, so a busy machine may take its time;
/// the bound only keeps a run from hanging forever.
package enum Patience {
  /// A minute, in seconds.
  package static let seconds = 60

  /// Waits until a condition is true.
  ///
  /// - Returns: False when it was not for ``seconds``.
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
