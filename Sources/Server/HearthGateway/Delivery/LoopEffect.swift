import HearthEngine

/// An effect on its way to the clients of one loop. The cancels of a decision come with their part of its receipt.
enum LoopEffect: Sendable {
  case effect(Effect)
  case cancel(Redecision, ReceiptPart?)
}
