import HearthEngine

/// An effect for the clients of one loop. The cancellations of a decision come with their part of its receipt.
enum LoopEffect: Sendable {
  case effect(Effect)
  case cancel(Redecision, ReceiptPart?)
  /// The answer to a command that caused events for many recipients. It waits for those of its loop, so that a client
  /// causes no more of them than the loop sends.
  case bulkReply(ConnectionID, request: Int32, Reply)
}
