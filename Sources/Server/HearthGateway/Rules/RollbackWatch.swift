import HearthDatabase
import HearthEngine
import HearthTree
import Synchronization

/// A watch of promoted rules, which counts denials and compares them with the bounds.
final class RollbackWatch: Sendable {
  /// The watched version.
  let versionID: Int64
  let bounds: RollbackBounds
  private let database: Database
  private let traffic: Mutex<TrafficSince>

  /// Creates a watch that begins to count now.
  init(_ version: RulesVersion, _ bounds: RollbackBounds, of database: Database, at now: Instant) {
    (versionID, self.bounds, self.database) = (version.id, bounds, database)
    database.measureTraffic(true)
    traffic = Mutex(
      TrafficSince(nowMonotonicMilliseconds: now.monotonicMilliseconds) {
        database.traffic(inLastMilliseconds: $0)
      })
  }

  func isOver(at now: Instant) -> Bool { now.wallMilliseconds >= bounds.endMilliseconds }

  /// Returns the reason for a roll-back; nil while the bounds hold.
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

  /// Returns the watch as JSON for administrators.
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

  /// Returns the current watch of a database; nil when there is none.
  func watch(of database: String) -> RollbackWatch? { entries.withLock { $0[database]?.watch } }

  /// Begins a watch, and ends an earlier one of the database.
  ///
  /// - Parameter work: checks it repeatedly; cancelled when it is ended.
  func begin(_ watch: RollbackWatch, of database: Database, _ work: @escaping @Sendable () async -> Void) {
    let task = Task { await work() }
    let former = entries.withLock { $0.updateValue(Entry(watch: watch, task: task), forKey: database.name) }
    former?.task.cancel()
  }

  /// Ends the current watch of a database.
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

  /// Drops the watch of a deleted database.
  func forget(_ database: String) {
    entries.withLock { $0.removeValue(forKey: database) }?.task.cancel()
  }

  /// Ends all watches, when the server stops.
  func endAll() {
    let all = entries.withLock { entries in
      defer { entries = [:] }
      return entries.values.map(\.task)
    }
    for task in all { task.cancel() }
  }
}
