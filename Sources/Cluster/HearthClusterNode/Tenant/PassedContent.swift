import HearthCluster
import HearthEngine
import Synchronization

/// A change on its way from a database to its owner, which is this process as long as nobody asks for its bytes.
final class PassedChange: ForwardedContent {
  /// Larger ones are bytes from the beginning: how many there may be is counted.
  private static let sizeBytesMax = 64 << 10

  let change: ForwardedChange
  let sizeBytes: Int

  private init(_ change: ForwardedChange, sizeBytes: Int) { (self.change, self.sizeBytes) = (change, sizeBytes) }

  var encoded: [UInt8] { change.encoded }

  /// What is asked of the owner.
  static func content(of change: ForwardedChange) -> ForwardedWrite {
    guard let size = change.sizeBytes(upTo: sizeBytesMax) else { return .encoded(change.encoded) }
    return .value(PassedChange(change, sizeBytes: size))
  }
}

/// A transaction on its way from a database to its owner in the same process: code cannot be sent to another one. It runs once
/// at most.
final class PassedTransaction: ForwardedContent {
  /// The only byte that stands for it elsewhere, where it means nothing; changes begin with another one.
  private static let marker: UInt8 = 0xFF

  private let transaction: Mutex<Transaction?>

  init(_ transaction: Transaction) { self.transaction = Mutex(transaction) }

  var encoded: [UInt8] { [Self.marker] }
  var sizeBytes: Int { 1 }

  /// Returns true when bytes stand for a transaction of another process.
  static func isMeant(by bytes: [UInt8]) -> Bool { bytes.first == marker }

  /// The transaction; nil when it has run, or nobody asks for it any more.
  func take() -> Transaction? {
    transaction.withLock { transaction in
      defer { transaction = nil }
      return transaction
    }
  }
}
