import HearthRules
import HearthTree
import Synchronization

/// The newest denials of the log, as far as their inputs could be kept: an administrator can have them explained by the
/// trace id that stands in the log. In memory alone: they hold users' data.
package final class DenialRecords: Sendable {
  /// One denial.
  struct Record: Sendable {
    let trace: String
    let database: String
    /// In the log's words.
    let operation: String
    let path: Path
    /// Nil when it was too much to keep, or when no rule was asked.
    let request: RecordedRequest?
  }

  /// A few seconds of a flood, and days of a quiet server; of 128 KiB at most each.
  static let countMax = 256

  private let ring = Mutex<(records: [Record], next: Int)>(([], 0))

  func add(_ record: Record) {
    ring.withLock { ring in
      if ring.records.count < Self.countMax {
        ring.records.append(record)
      } else {
        ring.records[ring.next] = record
      }
      ring.next = (ring.next + 1) % Self.countMax
    }
  }

  /// The newest with this trace id.
  func record(of trace: String) -> Record? {
    ring.withLock { ring in
      let (newer, older) = (ring.records[..<min(ring.next, ring.records.count)], ring.records[ring.next...])
      return newer.last { $0.trace == trace } ?? older.last { $0.trace == trace }
    }
  }
}
