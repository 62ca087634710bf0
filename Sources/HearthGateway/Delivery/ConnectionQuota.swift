import Synchronization

/// Counts the connections of each database over all loops, so that one database's clients leave files and memory for
/// those of the others.
///
/// Addresses are not counted: one address cannot hold more connections to a port than it has ports of its own, and
/// behind a proxy many people share one.
final class ConnectionQuota: Sendable {
  /// A connection's place in the count. It is given back when the last reference to it is released.
  final class Seat: Sendable {
    private let quota: ConnectionQuota
    private let database: String

    fileprivate init(_ quota: ConnectionQuota, _ database: String) {
      self.quota = quota
      self.database = database
    }

    deinit { quota.giveBack(database) }
  }

  private let limits: DeliveryLimits
  private let counts = Mutex<[String: Int]>([:])

  init(limits: DeliveryLimits = .standard) { self.limits = limits }

  /// nil when the database has as many connections as it may.
  func seat(in database: String) -> Seat? {
    let isFree = counts.withLock { counts in
      guard counts[database, default: 0] < limits.connectionsPerDatabaseMax else { return false }
      counts[database, default: 0] += 1
      return true
    }
    return isFree ? Seat(self, database) : nil
  }

  /// Connections that the database has now.
  func count(of database: String) -> Int { counts.withLock { $0[database] ?? 0 } }

  private func giveBack(_ database: String) {
    counts.withLock { counts in
      let left = (counts[database] ?? 1) - 1
      counts[database] = left > 0 ? left : nil
    }
  }
}
