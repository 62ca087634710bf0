import HearthCrypto
import HearthSystem

extension Machine {
  /// Hashes to compute at once: one processor fewer than there are, which stays free for the databases however many
  /// people sign in, and no more than fit into a quarter of the memory.
  func hashSlots(cost: PasswordCost) -> Int {
    max(1, min(processors - 1, memoryBytes / 4 / max(1, cost.memoryBytes)))
  }
}
