/// The tests' waits for a condition, and their timeout. A wait ends with its condition, so a busy machine only takes
/// longer; the timeout keeps a run from hanging forever.
package enum Polling {
  /// A minute, in seconds.
  package static let timeoutSeconds = 60

  /// Waits until a condition is true.
  ///
  /// - Returns: False when the condition was not true within ``timeoutSeconds``.
  @discardableResult
  package static func until(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
  ) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(timeoutSeconds)
    while try await !condition() {
      guard ContinuousClock.now < deadline else { return false }
      try await Task.sleep(for: .milliseconds(2))
    }
    return true
  }
}
