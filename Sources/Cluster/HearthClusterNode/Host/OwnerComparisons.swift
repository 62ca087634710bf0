import HearthCluster
import HearthEngine
import HearthSystem
import Synchronization

/// The comparisons of clients' data with large values on the owner of a database, made one after another in the
/// background: see ``RequestDecision/later``.
final class OwnerComparisons: Sendable {
  /// A request of a session.
  struct Key: Hashable, Sendable {
    let session: SessionID
    let request: UInt64

    init(_ origin: Origin) { (session, request) = (origin.session, origin.request) }
  }

  /// The comparison of a request.
  enum State {
    /// It is under way.
    case running
    /// It is made.
    ///
    /// - Parameter isLast: True when the request is decided in any case: enough comparisons were made for it.
    case made(ComparisonResult, isLast: Bool)
  }

  private struct Entry {
    var attempts: Int
    var result: ComparisonResult?
  }

  /// The comparisons of one request; after the last of them a write whose location has changed meanwhile is stale.
  static let attemptsMax = 3
  private let entries = Mutex<[Key: Entry]>([:])
  private let queue = LongWorkQueue()

  /// Returns the state of a request's comparison, or `nil` when none was begun.
  func state(of key: Key) -> State? {
    entries.withLock { entries in
      entries[key].map { entry in
        entry.result.map { .made($0, isLast: entry.attempts >= Self.attemptsMax) } ?? .running
      }
    }
  }

  /// Begins a comparison for a request, instead of an earlier one of the same request.
  ///
  /// - Parameter done: Is called on the thread of comparisons once ``state(of:)`` is ``State/made(_:isLast:)``.
  func begin(_ comparison: LargeComparison, for key: Key, done: @escaping @Sendable () -> Void) {
    entries.withLock { $0[key] = Entry(attempts: ($0[key]?.attempts ?? 0) + 1) }
    queue.async { [self] in
      // The session or the ownership may have ended.
      guard entries.withLock({ $0[key] != nil }) else { return }
      let result = comparison.compared()
      entries.withLock { $0[key]?.result = result }
      done()
    }
  }

  /// Discards the comparison of a request that is decided.
  func forget(_ key: Key) { entries.withLock { $0[key] = nil } }

  /// Discards the comparisons of a session that has ended.
  func forget(_ session: SessionID) {
    entries.withLock { entries in
      for key in entries.keys where key.session == session { entries[key] = nil }
    }
  }

  /// Discards all comparisons.
  func forgetAll() { entries.withLock { $0 = [:] } }
}
