import HearthEngine
import HearthRules
import HearthTree
import Synchronization

/// The newest denials for live views, in memory alone: they contain users' keys.
///
/// Equal ones within a second are one entry with a count, so that a client that retries repeatedly is one line. Counts
/// are exact as long as no more than ``entriesPerSecondMax`` different ones occur in a second; the rest is counted as
/// missed.
package final class DenialFeed: Sendable {
  /// A denial, or equal ones of one second.
  package struct Entry: Sendable {
    /// The entry's number, in the order of first denials.
    package let id: UInt64
    /// The time of the first denial, in milliseconds since 1970.
    package let atMilliseconds: Int64
    /// The database's name.
    package let database: String
    /// The operation in one word: `listen`, `get`, `read`, `put`, `merge`, `cancellation`, ….
    package let operation: String
    /// The cause of a cancelled listen: `data`, `rules`, `identity`, `expiry`, `revocation` or `clock`; nil when no
    /// listen was cancelled.
    package let cause: String?
    /// The path, cut at ``DenialFeed/textMax``.
    package let path: String
    /// The uid, cut; nil for a signed-out client.
    package let uid: String?
    /// The user's tenant, cut; nil for the project itself.
    package let tenant: String?
    /// The connection's name in logs; nil for a request without one.
    package let connection: String?
    /// The trace id of the first denial in the log and in `/.inspect/denials`; nil when it has none.
    package let trace: String?
    /// The kind of the rule that decided (`read`, `write`, `validate`), the path that it guards, its line and column.
    package let rule: (kind: String, path: String, line: Int, column: Int)?
    /// The reason in words.
    package let sentence: String
    /// The number of denials.
    package fileprivate(set) var count: Int
    fileprivate var version: UInt64
    fileprivate let hash: Int
  }

  /// A reader's position in the feed.
  package struct Cursor: Sendable {
    fileprivate var version: UInt64
    fileprivate var id: UInt64
    fileprivate var missed: UInt64
  }

  private struct State {
    var entries: [Entry] = []
    /// The index of the oldest entry, once the ring is full.
    var next = 0
    var lastID: UInt64 = 0
    var version: UInt64 = 0
    /// The entries that may still be joined, by the hash of their equal parts, until the current second ends.
    var current: [Int: Int] = [:]
    var currentEnd = Int64.min
    /// The number of denials without an entry.
    var missed: UInt64 = 0
  }

  private let state = Mutex(State())
  private let clock: @Sendable () -> Instant

  /// The maximum number of entries that are kept.
  package static let countMax = 4_096
  /// The maximum number of different denials in a second; each costs some strings.
  package static let entriesPerSecondMax = 1_000
  /// The maximum length of texts that clients choose, in characters.
  static let textMax = 512

  /// - Parameter clock: returns the time of denials.
  package init(clock: @escaping @Sendable () -> Instant = { SystemClock.now }) { self.clock = clock }

  // MARK: Writing

  /// Adds a denial.
  ///
  /// - Parameters:
  ///   - record: returns the record to keep; called at most once, and only for a new entry.
  ///   - keep: called with the record and the entry's id before readers can see the entry. Has to be quick.
  func add(
    operation: String, cause: String?, decision: Decision?, path: Path, principal: Principal, database: String,
    connection: ConnectionID?, trace: String?, record: () -> DenialRecords.Record? = { nil },
    keep: (DenialRecords.Record, UInt64) -> Void = { _, _ in }
  ) {
    let now = clock()
    var hasher = Hasher()
    hasher.combine(database)
    hasher.combine(operation)
    hasher.combine(cause)
    hasher.combine(path)
    hasher.combine(principal.uid)
    hasher.combine(principal.auth?.tenantOfAuth)
    hasher.combine(connection)
    hasher.combine(decision?.rule?.pathTemplate)
    hasher.combine(decision?.rule?.place)
    hasher.combine(decision?.outcome.rawValue)
    let hash = hasher.finalize()
    var (kept, isReady): (DenialRecords.Record?, Bool) = (nil, false)
    func isDone(_ state: inout State) -> Bool {
      if now.monotonicMilliseconds >= state.currentEnd {
        state.current.removeAll(keepingCapacity: true)
        state.currentEnd = now.monotonicMilliseconds + 1_000
      }
      if let index = state.current[hash], state.entries[index].hash == hash {
        state.version += 1
        state.entries[index].count += 1
        state.entries[index].version = state.version
        return true
      }
      guard state.current.count < Self.entriesPerSecondMax else {
        state.version += 1
        state.missed += 1
        return true
      }
      guard isReady else { return false }
      state.version += 1
      state.lastID += 1
      let rule = decision?.rule
      let entry = Entry(
        id: state.lastID, atMilliseconds: now.wallMilliseconds, database: database, operation: operation, cause: cause,
        path: Self.cut(path.description), uid: principal.uid.map(Self.cut),
        tenant: principal.auth?.tenantOfAuth.map(Self.cut),
        connection: connection.map { String($0.rawValue, radix: 16) }, trace: trace,
        rule: rule.map { ($0.kind.rawValue, $0.pathTemplate, $0.line, $0.column) },
        sentence: Self.sentence(operation, decision, principal), count: 1, version: state.version, hash: hash)
      if state.entries.count < Self.countMax {
        state.current[hash] = state.entries.count
        state.entries.append(entry)
      } else {
        state.current[hash] = state.next
        state.entries[state.next] = entry
        state.next = (state.next + 1) % Self.countMax
      }
      if let kept { keep(kept, entry.id) }
      return true
    }
    // Making the record evaluates rules, which must not happen under the lock.
    while !state.withLock({ isDone(&$0) }) { (kept, isReady) = (record(), true) }
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count <= textMax ? text : String(text.unicodeScalars.prefix(textMax)) + "…"
  }

  private static func sentence(_ operation: String, _ decision: Decision?, _ principal: Principal) -> String {
    guard let decision else {
      return principal.isReadOnly
        ? "The caller has read-only access." : "Only administrators can do this; no rule was evaluated."
    }
    let rule = decision.rule.map { ".\($0.kind.rawValue) at \($0.pathTemplate)" } ?? "a rule"
    if let error = decision.error {
      return "\(rule) failed, which counts as false: \(cut(error.message))"
    }
    switch decision.outcome {
    case .noRule: return "No rule applies to this path."
    case .noGrant: return "No rule was true; the last one evaluated was \(rule)."
    case .invalid: return "The write is allowed, but its data fails \(rule)."
    case .granted: return "Allowed."
    }
  }

  // MARK: Reading

  /// Returns the entry with this id; nil when it is no longer kept.
  package func entry(_ id: UInt64) -> Entry? {
    state.withLock { state in state.entries.first { $0.id == id } }
  }

  /// Returns a position for a new reader.
  ///
  /// - Parameters:
  ///   - id: the position is behind this entry; nil for the newest.
  ///   - count: the maximum number of entries behind the position.
  package func cursor(after id: UInt64?, newest count: Int) -> Cursor {
    state.withLock { state in
      let first = state.lastID >= UInt64(count) ? state.lastID - UInt64(count) : 0
      return Cursor(version: state.version, id: max(first, min(id ?? 0, state.lastID)), missed: state.missed)
    }
  }

  /// Reads the news: new entries, and those whose count has changed, again under their id.
  ///
  /// - Parameter limit: the maximum number of entries, the newest; others are missed.
  /// - Returns: the entries, the oldest first, and the number of denials without an entry.
  package func read(_ cursor: inout Cursor, limit: Int) -> (entries: [Entry], missed: Int) {
    state.withLock { state in
      var (found, missed): ([Entry], UInt64) = ([], state.missed - cursor.missed)
      if state.version > cursor.version || state.lastID > cursor.id {
        let (older, newer) = (state.entries[state.next...], state.entries[..<state.next])
        for entry in [newer, older].lazy.flatMap({ $0.reversed() })
        where entry.id > cursor.id || entry.version > cursor.version {
          if found.count < limit { found.append(entry) } else { missed += UInt64(entry.count) }
        }
      }
      cursor.version = state.version
      cursor.id = state.lastID
      cursor.missed = state.missed
      return (found.reversed(), Int(clamping: missed))
    }
  }
}
