import HearthEngine
import HearthJournal
import HearthTree

/// The report on a journal for readers.
struct RepairText {
  let journal: RepairTarget.Journal
  let report: SalvageReport
  /// True when waiting events stay, because the file is truncated in place.
  let keepsEvents: Bool

  /// The lines, without the last one's end.
  var text: String {
    guard !report.isWhole else {
      return (["\(journal.name): intact up to position \(report.headPosition)"] + past).joined(separator: "\n")
    }
    let damages = ["\(journal.name): damaged"] + report.damages.map { "  \($0)" }
    return (damages + (report.isLost ? [lost] : saved) + past).joined(separator: "\n")
  }

  private var past: [String] {
    report.lostPast.flatMap { lost in
      let first = lost.damage.place.position.map { "\($0) to " } ?? "up to "
      return [
        "  history: positions \(first)\(lost.lastPosition) cannot be read. A server does not need them; they stay"
          + " unchanged:",
        "  \(lost.damage)",
      ]
    }
  }

  private var lost: String {
    "  not readable: restore a backup, or move \(journal.path) and the files beside it away to start empty"
  }

  private var saved: [String] {
    let base = report.base.map { "the state of position \($0.position)" } ?? "the first commit"
    var lines = ["  can be saved: from \(base) up to position \(report.headPosition)\(time(of: report.lastBatch))"]
    if let lost = report.lostPositions {
      let count = lost.upperBound - lost.lowerBound + 1
      lines.append(
        "  missing then: \(count) commit\(count == 1 ? "" : "s"), positions \(lost.lowerBound) to \(lost.upperBound)"
          + time(of: report.lastLostBatch))
    } else {
      lines.append("  missing then: no known commit")
    }
    if report.unreadableCount > 0 {
      let count = report.unreadableCount
      let parts = count == 1 ? "1 part" : "\(count) parts"
      lines.append("  missing then, unless a later commit replaces it: the unreadable data above, \(parts)")
    }
    if !keepsEvents, report.eventCount != 0 {
      let events = report.eventCount.map { String($0) } ?? "an unknown number of"
      lines.append("  trigger events that would be lost: \(events)")
    }
    return lines
  }

  /// Returns the time of a batch's last commit.
  private func time(of batch: JournalBatch?) -> String {
    guard let batch, let time = (try? CommitRecord.marks(of: batch.payload))?.last?.wallMilliseconds else { return "" }
    return ", the last of \(Timestamp.text(milliseconds: time))"
  }
}
