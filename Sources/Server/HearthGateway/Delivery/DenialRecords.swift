import HearthRules
import HearthTree
import Synchronization

/// The newest denials with their inputs, as far as these could be kept: an administrator can have them explained, by
/// the trace id in the log or by the feed's entry. In memory alone: they contain users' data.
package final class DenialRecords: Sendable {
  /// A denial with its input.
  package struct Record: Sendable {
    let trace: String
    /// The database's name.
    package let database: String
    /// The operation as in the log.
    package let operation: String
    /// The path of the request.
    package let path: Path
    /// The request; nil when it was too large to keep, or when no rule was evaluated.
    package let request: RecordedRequest?
    /// True when rules decided.
    package let hasRules: Bool
  }

  private struct State {
    /// The denials of the log, as a ring buffer.
    var logged: [Record] = []
    var next = 0
    /// The denials of the feed, by the entry's id.
    var shown: [UInt64: Record] = [:]
    /// The ids of the feed's entries in their order, from ``firstShown`` on.
    var shownIDs: [UInt64] = []
    var firstShown = 0
    var shownBytes = 0
  }

  /// The maximum number of denials in the log: a few seconds of a flood, and days of a quiet server; of 128 KiB at most each.
  static let countMax = 256
  /// The approximate maximum size of the feed's denials together.
  static let shownBytesMax = 32 << 20
  /// The approximate size of one of them without its data.
  private static let shownBytesEach = 1_024

  private let state = Mutex(State())

  /// Adds a denial of the log.
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

  /// Adds the first denial of an entry of the feed.
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

  /// Returns the newest denial of the log with this trace id.
  func record(of trace: String) -> Record? {
    state.withLock { state in
      let (newer, older) = (state.logged[..<min(state.next, state.logged.count)], state.logged[state.next...])
      return newer.last { $0.trace == trace } ?? older.last { $0.trace == trace }
    }
  }

  /// Returns the first denial of an entry of the feed.
  package func record(ofEntry id: UInt64) -> Record? { state.withLock { $0.shown[id] } }
}
