import Synchronization

/// The numbers of the revocations that one request caused, for a command that then waits for their receipts.
///
/// They travel in a task-local value: the code that ends tokens is many calls below the code that answers.
package final class RevocationNumbers: Sendable {
  @TaskLocal static var current: RevocationNumbers?

  private let numbers = Mutex<[UInt64]>([])

  func note(_ number: UInt64) { numbers.withLock { $0.append(number) } }

  /// Runs the work of a request.
  ///
  /// - Returns: its value, and the numbers of its revocations, in order.
  package static func collecting<Value: Sendable>(
    _ work: () async throws(AccountError) -> Value
  ) async throws(AccountError) -> (value: Value, numbers: [UInt64]) {
    let collected = RevocationNumbers()
    let result = await $current.withValue(collected) { () async -> Result<Value, AccountError> in
      do throws(AccountError) { return .success(try await work()) } catch { return .failure(error) }
    }
    return (try result.get(), collected.numbers.withLock { $0 })
  }
}
