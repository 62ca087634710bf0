import NIOConcurrencyHelpers

/// A value that one thread at a time uses: `Mutex` of Swift's library, which Apple's older systems lack.
package final class LockedValue<Value>: @unchecked Sendable {
  // Unchecked because the value is only used with the lock.

  private let lock = NIOLock()
  private var value: Value

  /// Creates a locked value.
  package init(_ value: consuming sending Value) { self.value = value }

  /// Calls `body` with the value, while no other thread uses it.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
