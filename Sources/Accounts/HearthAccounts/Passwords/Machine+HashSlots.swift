import HearthCrypto
import HearthSystem

extension Machine {
  /// The number of concurrent hashes: one processor fewer than the machine has, so that one stays free for the
  /// databases under any load, and no more than fit into a quarter of the memory.
  func hashSlots(cost: PasswordCost) -> Int {
    max(1, min(processors - 1, memoryBytes / 4 / max(1, cost.memoryBytes)))
  }
}
