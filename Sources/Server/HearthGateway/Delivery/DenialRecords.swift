import HearthRules
import HearthTree
import Synchronization

/// The newest denials, as far as their inputs could be kept: an administrator can have them explained, by the trace id that
/// stands in the log, or as they come. In memory alone: they hold users' data.
package final class DenialRecords: Sendable {
  /// One denial.
  package struct Record: Sendable {
    let trace: String
    /// The database's name.
    package let database: String
    /// In the log's words.
    package let operation: String
    /// Where.
    package let path: Path
    /// Nil when it was too much to keep, or when no rule was asked.
    package let request: RecordedRequest?
    /// True when rules decided.
    package let hasRules: Bool
  }

  private struct State {
    /// Of the log, as a ring.
    var logged: [Record] = []
    var next = 0
    /// Of entries of the feed, by their ids.
    var shown: [UInt64: Record] = [:]
    /// Their ids as they came, from ``firstShown`` on.
    var shownIDs: [UInt64] = []
    var firstShown = 0
    var shownBytes = 0
  }

  /// Of the log: a few seconds of a flood, and days of a quiet server; of 128 KiB at most each.
  static let countMax = 256
  /// What those of the feed hold together, about.
  static let shownBytesMax = 32 << 20
  /// What one of them costs beside the data in it.
  private static let shownBytesEach = 1_024

  private let state = Mutex(State())

  /// Keeps one of the log.
  func add(_ record: Record) {
    state.withLock { state in
      if state.logged.count < Self.countMax {
        state.logged.append(record)
      } else {
        state.logged[state.next] = record
      }
      state.next = (state.next + 1) % Self.countMax
    }
  }

  /// Keeps the one that an entry of the feed begins with.
  func add(_ record: Record, ofEntry id: UInt64) {
    state.withLock { state in
      state.shown[id] = record
      state.shownIDs.append(id)
      state.shownBytes += Self.bytes(record)
      while state.shownBytes > Self.shownBytesMax || state.shown.count > DenialFeed.countMax {
        if let oldest = state.shown.removeValue(forKey: state.shownIDs[state.firstShown]) {
          state.shownBytes -= Self.bytes(oldest)
        }
        state.firstShown += 1
      }
      if state.firstShown > DenialFeed.countMax {
        state.shownIDs.removeFirst(state.firstShown)
        state.firstShown = 0
      }
    }
  }

  private static func bytes(_ record: Record) -> Int { shownBytesEach + (record.request?.heldBytes ?? 0) }

  /// The newest of the log with this trace id.
  func record(of trace: String) -> Record? {
    state.withLock { state in
      let (newer, older) = (state.logged[..<min(state.next, state.logged.count)], state.logged[state.next...])
      return newer.last { $0.trace == trace } ?? older.last { $0.trace == trace }
    }
  }

  /// The first denial of an entry of the feed.
  package func record(ofEntry id: UInt64) -> Record? { state.withLock { $0.shown[id] } }
}
