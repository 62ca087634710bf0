import HearthCluster
import HearthEngine
import Synchronization

/// A change on its way from a database to its owner, encoded only when its bytes are needed for another process.
final class InProcessChange: ForwardedContent {
  /// The size above which a change is encoded at once, because its exact size must count for the limits.
  fileprivate static let sizeBytesMax = 64 << 10

  let change: ForwardedChange
  let sizeBytes: Int

  private init(_ change: ForwardedChange, sizeBytes: Int) { (self.change, self.sizeBytes) = (change, sizeBytes) }

  var encoded: [UInt8] { change.encoded }

  /// Returns the content of a request to the owner.
  static func content(of change: ForwardedChange) -> ForwardedBody {
    guard let size = change.sizeBytes(upTo: sizeBytesMax) else { return .encoded(change.encoded) }
    return .value(InProcessChange(change, sizeBytes: size))
  }
}

/// A reply from an owner to a database of the same process. It is encoded only for a caller that reads its bytes.
final class InProcessReply: ForwardedContent {
  private static let ok = InProcessReply(.ok, sizeBytes: 2)

  private let reply: Reply
  let sizeBytes: Int

  private init(_ reply: Reply, sizeBytes: Int) { (self.reply, self.sizeBytes) = (reply, sizeBytes) }

  var encoded: [UInt8] { reply.forwarded }

  /// Returns the body of a reply. Replies to reads are made by the client's node.
  static func body(of reply: Reply) -> ForwardedBody {
    switch reply {
    case .ok, .listening, .result, .value: return .value(ok)
    case .failure(let failure): return .value(InProcessReply(reply, sizeBytes: failure.message.utf8.count))
    case .written(let node), .stale(let node):
      let size = node.heldBytes(upTo: InProcessChange.sizeBytesMax)
      return size > InProcessChange.sizeBytesMax
        ? .encoded(reply.forwarded) : .value(InProcessReply(reply, sizeBytes: size))
    }
  }

  /// Returns the reply in a body; `nil` when the body is empty or cannot be decoded.
  static func reply(in body: ForwardedBody) -> Reply? {
    if case .value(let passed as InProcessReply) = body { return passed.reply }
    return try? Reply(forwarded: body.bytes)
  }
}

/// A transaction on its way from a database to its owner in the same process, because code cannot be sent to another
/// one. It runs at most once.
final class InProcessTransaction: ForwardedContent {
  /// The only byte of a transaction's encoding, which another process cannot run; changes begin with a different byte.
  private static let marker: UInt8 = 0xFF

  private let transaction: Mutex<Transaction?>

  init(_ transaction: Transaction) { self.transaction = Mutex(transaction) }

  var encoded: [UInt8] { [Self.marker] }
  var sizeBytes: Int { 1 }

  /// Returns true when the bytes stand for a transaction of another process.
  static func canDecode(_ bytes: [UInt8]) -> Bool { bytes.first == marker }

  /// Removes and returns the transaction; nil when it has run or was given up.
  func take() -> Transaction? {
    transaction.withLock { transaction in
      defer { transaction = nil }
      return transaction
    }
  }
}
