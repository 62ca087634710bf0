import HearthEngine
import Synchronization

/// Transactions on their way from a database to its owner in the same process: code cannot be sent to another one.
///
/// What is asked of the owner is a number, which means nothing elsewhere.
final class TransactionShelf: Sendable {
  /// The first byte of such a question; changes that can be sent begin with another one.
  private static let marker: UInt8 = 0xFF

  private struct State {
    var transactions: [UInt64: Transaction] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Keeps a transaction until it is taken or forgotten.
  ///
  /// - Returns: what stands for it, in the bytes of a question.
  func put(_ transaction: Transaction) -> (number: UInt64, bytes: [UInt8]) {
    let number = state.withLock { state in
      state.last += 1
      state.transactions[state.last] = transaction
      return state.last
    }
    return (number, [Self.marker] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) })
  }

  /// Whether a question stands for a transaction, of this process or of another one.
  static func isMeant(by bytes: [UInt8]) -> Bool { bytes.first == marker }

  /// The transaction that a question stands for; nil when it is another process's, or has run.
  func take(_ bytes: [UInt8]) -> Transaction? {
    guard bytes.count == 9, Self.isMeant(by: bytes) else { return nil }
    let number = bytes.dropFirst().reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return state.withLock { $0.transactions.removeValue(forKey: number) }
  }

  /// Nobody will ask for it any more.
  func forget(_ number: UInt64) { state.withLock { _ = $0.transactions.removeValue(forKey: number) } }
}
