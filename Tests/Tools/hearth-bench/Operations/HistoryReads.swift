import Dispatch
import HearthDatabase
import HearthEngine
import HearthJournal
import HearthProgram
import HearthRules
import HearthSQLite
import HearthSystem
import HearthTree

/// The time of a read of a past state when many commits follow the last snapshot.
///
/// The folder contains messages in rooms: a snapshot, and then commits of one message each, evenly over the last two
/// hours. Each figure is of the code that answers `GET /rooms/r7.json?at=`, without the socket.
struct HistoryReads {
  /// The results; times in nanoseconds.
  struct Figures {
    var commitCount: Int
    var journalBytes: Int
    /// A room an hour ago, with half of the commits after the snapshot, in a new process.
    var coldHourAgo: Int64
    /// The same room at the last commit, with all commits after the snapshot, in another new process.
    var coldNow: Int64
    /// Repeated reads of the room an hour ago.
    var warm: LatencySummary
    /// Reads of the room at successive times in the following minute.
    var warmNearby: LatencySummary
    /// A read of the room's last changes.
    var changes: Int64

    /// A readable report.
    var text: String {
      func time(_ nanoseconds: Int64) -> String { BenchTable.time(UInt64(max(0, nanoseconds))) }
      return """
        history: \(NumberFormat.grouped(Double(commitCount))) commits since the snapshot, \(journalBytes >> 20) MB of journal
          a room of an hour ago, cold      \(time(coldHourAgo))
          a room at the last commit, cold  \(time(coldNow))
          a room of an hour ago, warm      p50 \(BenchTable.time(warm.p50)), p99 \(BenchTable.time(warm.p99))
          further moments near it, warm    p50 \(BenchTable.time(warmNearby.p50)), p99 \(BenchTable.time(warmNearby.p99))
          its last twenty changes          \(time(changes))
        """
    }
  }

  /// The number of commits after the snapshot.
  var commitCount = 1_000_000
  /// The number of commits in one batch; 1 is a quiet server, and results in the most rows.
  var commitsPerBatch = 10
  /// The number of messages in the snapshot.
  var storedCount = 200_000

  private static let name = "past"
  /// Seconds to wait for the snapshot, more than any disk needs.
  private static let snapshotSecondsMax = 120
  private static let roomCount = 1_000
  private static let spanMilliseconds: Int64 = 2 * 3_600_000
  private static let rules = #"{"rules":{"rooms":{"$room":{".read":"auth != null",".write":"auth != null"}}}}"#

  /// Creates the data and measures, in about a minute.
  ///
  /// - Parameter folder: An empty folder.
  func run(in folder: String) throws -> Figures {
    let now = WallClock.nowMilliseconds
    try fill(folder, endingAt: now)
    let room = Path("rooms/r7")
    let hourAgo = now - Self.spanMilliseconds / 2
    func open() throws -> Database { try database(folder, snapshotIntervalBytes: .max) }
    func read(_ database: Database, at milliseconds: Int64) throws -> Int64 {
      let started = WallClock.monotonicNanoseconds
      let position = try database.history.position(atMilliseconds: milliseconds)
      let state = try database.history.state(at: position, of: room)
      let elapsed = WallClock.monotonicNanoseconds - started
      guard state.node.isInterior else { throw BenchServer.Failure(description: "the room is empty") }
      return elapsed
    }
    let first = try open()
    // A read of the present state needs no history, so the position before it is read.
    let coldNow = try read(first, at: now - 1)
    first.close()
    let second = try open()
    let coldHourAgo = try read(second, at: hourAgo)
    var (warm, nearby) = (LatencyRecorder(), LatencyRecorder())
    for _ in 0..<200 { warm.record(nanoseconds: try read(second, at: hourAgo)) }
    for seconds in Int64(1)...60 { nearby.record(nanoseconds: try read(second, at: hourAgo + seconds * 1_000)) }
    let started = WallClock.monotonicNanoseconds
    let page = try second.history.changes(of: room, countMax: 20)
    let changes = WallClock.monotonicNanoseconds - started
    guard page.changes.count == 20 else { throw BenchServer.Failure(description: "changes are missing") }
    second.close()
    return Figures(
      commitCount: commitCount,
      journalBytes: FileVersion(of: "\(folder)/\(Self.name).sqlite").map { Int($0.sizeBytes) } ?? 0,
      coldHourAgo: coldHourAgo, coldNow: coldNow, warm: warm.summary, warmNearby: nearby.summary, changes: changes)
  }

  private func fill(_ folder: String, endingAt now: Int64) throws {
    let written = DispatchSemaphore(value: 0)
    let first = try database(folder, snapshotIntervalBytes: 0) { notice in
      if case .snapshotWritten = notice { written.signal() }
    }
    let rooms = Node.empty.replacing((0..<storedCount).map { (Self.path($0), Self.message($0)) })
    first.submit([
      Command(
        connection: ConnectionID(rawValue: 1), request: 1, principal: .administrator,
        action: .write(WriteOperation(.put(Location(path: .root), WriteValue(rooms)))))
    ])
    let isWritten = written.wait(timeout: .now() + .seconds(Self.snapshotSecondsMax)) == .success
    first.close()
    guard isWritten else { throw BenchServer.Failure(description: "no snapshot was written") }
    let journal = try SQLiteJournals(folder: folder).open(Self.name).journal
    defer { try? journal.close() }
    var head = try journal.acquire()
    let author = CommitAuthor(
      uid: "u7Zk2mXqT0bV9wYc4sLfR1hNdG83", provider: "password", connection: ConnectionID(rawValue: 300),
      address: .publicNetwork)
    var number = 0
    while number < commitCount {
      var payload: [UInt8] = []
      let count = min(commitsPerBatch, commitCount - number)
      for _ in 0..<count {
        let stored = storedCount + number
        let time = now - Self.spanMilliseconds + Self.spanMilliseconds * Int64(number + 1) / Int64(commitCount)
        CommitRecord(
          wallMilliseconds: time, author: author,
          content: .changes([(Location(path: Self.path(stored)), Self.message(stored))])
        ).append(to: &payload)
        number += 1
      }
      let batch = JournalBatch(
        firstPosition: head.position + 1, lastPosition: head.position + Int64(count), payload: payload)
      head = try journal.append(batch, after: head)
    }
  }

  private static func path(_ number: Int) -> Path {
    Path("rooms/r\(number % roomCount)/-O\(String(1_000_000_000_000 + number, radix: 36))")
  }

  private static func message(_ number: Int) -> Node {
    Node.empty.replacing([
      (Path("text"), Node(.string("message number \(number), as long as people write"))),
      (Path("by"), Node(.string("u\(number % 97)"))), (Path("at"), Node(.int(1_700_000_000_000 + Int64(number)))),
    ])
  }

  private func database(
    _ folder: String, snapshotIntervalBytes: Int, notice: @escaping @Sendable (DatabaseNotice) -> Void = { _ in }
  ) throws -> Database {
    var limits = DatabaseLimits()
    limits.snapshotIntervalBytes = snapshotIntervalBytes
    limits.history = HistoryRetention(ageMilliseconds: .max, sizeBytesMax: .max)
    let environment = DatabaseEnvironment(
      clock: {
        Instant(
          wallMilliseconds: WallClock.nowMilliseconds, monotonicMilliseconds: WallClock.monotonicNanoseconds / 1_000_000
        )
      }, schedule: { _, _ in }, deliver: { _, _ in }, notice: notice)
    return try Database(
      name: Self.name, journals: SQLiteJournals(folder: folder), initialRules: try RuleSet.compile(Self.rules),
      environment: environment, limits: limits)
  }
}
