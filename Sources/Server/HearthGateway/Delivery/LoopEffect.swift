import HearthEngine

/// An effect for the clients of one loop. The cancellations of a decision come with their part of its receipt.
enum LoopEffect: Sendable {
  case effect(Effect)
  case cancel(Redecision, ReceiptPart?)
}
