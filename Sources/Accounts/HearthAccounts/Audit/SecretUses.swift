import Synchronization

/// The recent uses of database secrets by client, so that the audit trail records each once an hour and not with every
/// request.
final class SecretUses: Sendable {
  private static let intervalMilliseconds: Int64 = 3_600_000
  /// The maximum number of entries: secrets are few, and their addresses are a back end's machines.
  private static let countMax = 1_000

  private let lastRecorded = Mutex(RecencyMap<String, Int64>(countMax: countMax))

  /// Notes a use; returns true when it is to be recorded.
  func note(secret id: String, address: String, nowMilliseconds: Int64) -> Bool {
    lastRecorded.withLock { uses in
      let key = id + " " + address
      if let last = uses.value(key), nowMilliseconds - last < Self.intervalMilliseconds { return false }
      _ = uses.set(key, nowMilliseconds)
      return true
    }
  }
}
