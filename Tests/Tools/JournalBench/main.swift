// Measures appends a second of journals in SQLite and in PostgreSQL: one journal, and many at once, each with one
// append in progress.
//
//     JournalBench FOLDER postgres://… [seconds] [journals]
//
// SQLite journals are made in the folder, which should be on a disk like the server's; PostgreSQL journals in the
// schema hearth_bench, which may be dropped afterwards.
import Foundation
import HearthJournal
import HearthPostgres
import HearthSQLite
import Synchronization

let arguments = CommandLine.arguments
guard arguments.count > 2 else {
  print("usage: JournalBench FOLDER postgres://… [seconds] [journals]")
  exit(64)
}
let seconds = arguments.count > 3 ? Double(arguments[3]) ?? 5 : 5
let many = arguments.count > 4 ? Int(arguments[4]) ?? 64 : 64
let payload = (0..<200).map { UInt8($0) }

/// Appends to each journal from its own thread until the time is over.
func measure(_ name: String, _ journals: any JournalFactory, _ count: Int) throws {
  let end = ContinuousClock.now + .seconds(seconds)
  let times = Mutex<[Double]>([])
  let problem = Mutex<(any Error)?>(nil)
  let group = DispatchGroup()
  for number in 0..<count {
    let journal = try journals.open("j\(number)-\(count)-\(getpid())").journal
    let first = try journal.acquire()
    group.enter()
    Thread.detachNewThread {
      defer { group.leave() }
      var (head, found) = (first, [Double]())
      do {
        while ContinuousClock.now < end {
          let start = ContinuousClock.now
          let batch = JournalBatch(firstPosition: head.position + 1, lastPosition: head.position + 1, payload: payload)
          head = try journal.append(batch, after: head)
          found.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        try journal.close()
      } catch { problem.withLock { $0 = error } }
      times.withLock { $0 += found }
    }
  }
  group.wait()
  if let problem = problem.withLock({ $0 }) { throw problem }
  let sorted = times.withLock { $0.sorted() }
  guard !sorted.isEmpty else { return print("\(name), \(count): nothing was appended") }
  func percentile(_ part: Double) -> String { String(format: "%.2f", sorted[Int(Double(sorted.count - 1) * part)]) }
  print(
    "\(name), \(count) journal\(count == 1 ? "" : "s"): \(Int(Double(sorted.count) / seconds)) appends a second,",
    "p50 \(percentile(0.5)) ms, p99 \(percentile(0.99)) ms")
}

let engine = try PostgresEngine(PostgresAddress(arguments[2]), options: PostgresOptions(schema: "hearth_bench"))
for warning in engine.warnings { print("PostgreSQL: \(warning)") }
for count in [1, many] {
  try measure("SQLite", SQLiteJournals(folder: arguments[1]), count)
  try measure("PostgreSQL", engine.journals("bench/"), count)
}
