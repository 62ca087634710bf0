import HearthDatabase
import HearthEngine
import HearthTree
import Synchronization

/// Looks at what promoted rules deny, and says when it is too much.
final class RollbackWatch: Sendable {
  /// The version that is watched.
  let versionID: Int64
  let bounds: RollbackBounds
  private let database: Database
  private let traffic: Mutex<TrafficSince>

  /// Begins to count now.
  init(_ version: RulesVersion, _ bounds: RollbackBounds, of database: Database, at now: Instant) {
    (versionID, self.bounds, self.database) = (version.id, bounds, database)
    database.measureTraffic(true)
    traffic = Mutex(
      TrafficSince(nowMonotonicMilliseconds: now.monotonicMilliseconds) {
        database.traffic(inLastMilliseconds: $0)
      })
  }

  func isOver(at now: Instant) -> Bool { now.wallMilliseconds >= bounds.endMilliseconds }

  /// Returns the reason why the server is to go back; nil while all is well.
  func reason(at now: Instant) -> String? {
    let (denied, cancelled) = counts(at: now)
    if let most = bounds.denialsMax, denied > most {
      return "\(denied) \(denied == 1 ? "request was" : "requests were") denied, at most \(most) allowed"
    }
    if let most = bounds.cancelledMax, cancelled > most {
      return "\(cancelled) \(cancelled == 1 ? "listener was" : "listeners were") cancelled, at most \(most) allowed"
    }
    return nil
  }

  /// As administrators are shown it.
  func json(at now: Instant) -> JSON {
    let (denied, cancelled) = counts(at: now)
    let counts: JSON = ["version": .int(versionID), "denials": .int(denied), "cancelled": .int(cancelled)]
    return counts.appending(bounds.json)
  }

  private func counts(at now: Instant) -> (denied: Int64, cancelled: Int64) {
    traffic.withLock { traffic in
      traffic.update(nowMonotonicMilliseconds: now.monotonicMilliseconds) {
        database.traffic(inLastMilliseconds: $0)
      }
      return (Int64(traffic.deniedCount), Int64(traffic.cancelledCount))
    }
  }
}

/// The watches of all databases, one each at most.
final class RollbackWatches: Sendable {
  private struct Entry {
    let watch: RollbackWatch
    let task: Task<Void, Never>
  }

  private let entries = Mutex<[String: Entry]>([:])

  /// The one under way.
  func watch(of database: String) -> RollbackWatch? { entries.withLock { $0[database]?.watch } }

  /// Puts it in the place of another one.
  ///
  /// - Parameter work: looks at it again and again; cancelled when it is ended.
  func begin(_ watch: RollbackWatch, of database: Database, _ work: @escaping @Sendable () async -> Void) {
    let task = Task { await work() }
    let former = entries.withLock { $0.updateValue(Entry(watch: watch, task: task), forKey: database.name) }
    former?.task.cancel()
  }

  /// Ends the one under way.
  ///
  /// - Parameter watch: ended only if it is this one; nil is any.
  func end(_ watch: RollbackWatch? = nil, of database: Database) {
    let ended = entries.withLock { entries -> Entry? in
      guard watch == nil || entries[database.name]?.watch === watch else { return nil }
      return entries.removeValue(forKey: database.name)
    }
    guard let entry = ended else { return }
    database.measureTraffic(false)
    entry.task.cancel()
  }

  /// The database is no more.
  func forget(_ database: String) {
    entries.withLock { $0.removeValue(forKey: database) }?.task.cancel()
  }

  /// Ends all of them, where the server stops.
  func endAll() {
    let all = entries.withLock { entries in
      defer { entries = [:] }
      return entries.values.map(\.task)
    }
    for task in all { task.cancel() }
  }
}
