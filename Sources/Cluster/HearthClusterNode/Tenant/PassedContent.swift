import HearthCluster
import HearthEngine
import Synchronization

/// A change on its way from a database to its owner, encoded only when its bytes are needed for another process.
final class PassedChange: ForwardedContent {
  /// The size above which a change is encoded at once, because its size must be counted.
  private static let sizeBytesMax = 64 << 10

  let change: ForwardedChange
  let sizeBytes: Int

  private init(_ change: ForwardedChange, sizeBytes: Int) { (self.change, self.sizeBytes) = (change, sizeBytes) }

  var encoded: [UInt8] { change.encoded }

  /// Returns the content of a request to the owner.
  static func content(of change: ForwardedChange) -> ForwardedWrite {
    guard let size = change.sizeBytes(upTo: sizeBytesMax) else { return .encoded(change.encoded) }
    return .value(PassedChange(change, sizeBytes: size))
  }
}

/// A transaction on its way from a database to its owner in the same process, because code cannot be sent to another
/// one. It runs at most once.
final class PassedTransaction: ForwardedContent {
  /// The only byte of its encoding, which has no meaning in another process; changes begin with another byte.
  private static let marker: UInt8 = 0xFF

  private let transaction: Mutex<Transaction?>

  init(_ transaction: Transaction) { self.transaction = Mutex(transaction) }

  var encoded: [UInt8] { [Self.marker] }
  var sizeBytes: Int { 1 }

  /// Returns true when the bytes stand for a transaction of another process.
  static func isMeant(by bytes: [UInt8]) -> Bool { bytes.first == marker }

  /// Removes and returns the transaction; nil when it has run or was given up.
  func take() -> Transaction? {
    transaction.withLock { transaction in
      defer { transaction = nil }
      return transaction
    }
  }
}
