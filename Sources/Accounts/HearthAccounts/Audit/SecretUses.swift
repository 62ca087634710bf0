import Synchronization

/// Remembers which database secrets were used from where, so that the audit trail tells of each once an hour and not
/// with every request.
final class SecretUses: Sendable {
  private static let intervalMilliseconds: Int64 = 3_600_000
  /// Secrets are few; addresses behind them are a back end's machines.
  private static let countMax = 1_000

  private let lastTold = Mutex(RecencyMap<String, Int64>(countMax: countMax))

  /// True when this use is to be told.
  func note(secret id: String, address: String, nowMilliseconds: Int64) -> Bool {
    lastTold.withLock { uses in
      let key = id + " " + address
      if let last = uses.value(key), nowMilliseconds - last < Self.intervalMilliseconds { return false }
      _ = uses.set(key, nowMilliseconds)
      return true
    }
  }
}
