import ArgumentParser
import Glibc
import HearthEngine
import HearthJournal
import HearthProgram
import HearthSQLite
import HearthSystem
import HearthTree

/// `hearth repair`
struct RepairCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Look for damage in a stopped server's data folder, and save what is whole.",
    discussion: """
      Looks at accounts and databases, says what is damaged or missing, and changes nothing; exits with 0 when a server can \
      open all of it, otherwise with 1. With --apply each damaged file is replaced by a new one, with the longest part of \
      its log that a state can be put together from, and kept in a folder damaged-TIME beside the others. Restore a backup \
      instead if there is one.
      """)

  @Argument(help: ArgumentHelp("The data folder.", valueName: "data"))
  var folder: String

  @Flag(help: "Replace what is damaged by what can be saved.")
  var apply = false

  func run() throws {
    guard let version = FileVersion(of: folder), !version.isRegular else {
      throw ValidationError("There is no folder \(folder); name a data folder.")
    }
    // All are held before one is changed: a server has none of them open then.
    var journals: [(name: String, salvage: JournalSalvage)] = []
    do {
      for name in try names() { journals.append((name, try JournalSalvage(path: path(name)))) }
    } catch {
      throw AdminFailure("\(error)")
    }
    guard !journals.isEmpty else { throw ValidationError("There are no accounts and no databases in \(folder).") }
    var isWhole = true
    for (name, salvage) in journals {
      let report = salvage.examine()
      show(report, name)
      if report.isWhole { continue }
      guard apply, !report.isLost else {
        isWhole = false
        continue
      }
      try replace(report, name, salvage)
    }
    if !isWhole { throw ExitCode.failure }
  }

  private func path(_ name: String) -> String { "\(folder)/\(name).sqlite" }

  /// The journals that there are: of accounts, and of databases in order of name.
  private func names() throws(JournalError) -> [String] {
    var names = FileVersion(of: path("accounts")) == nil ? [] : ["accounts"]
    if FileVersion(of: folder + "/databases") != nil {
      names += try SQLiteJournals(folder: folder + "/databases").names().sorted().map { "databases/" + $0 }
    }
    return names
  }

  // MARK: Say

  private func show(_ report: SalvageReport, _ name: String) {
    guard !report.isWhole else { return Output.line("\(name): whole, up to position \(report.headPosition)") }
    Output.line("\(name): damaged")
    for damage in report.damages { Output.line("  \(damage)") }
    guard !report.isLost else {
      return Output.line(
        "  nothing of it can be read: restore a backup, or move \(path(name)) and the files beside it away to begin anew"
      )
    }
    let base = report.base.map { "the snapshot of position \($0.position)" } ?? "the first commit"
    Output.line("  can be saved: from \(base) up to position \(report.headPosition)\(time(of: report.lastBatch))")
    if let lost = report.lostPositions {
      let count = lost.upperBound - lost.lowerBound + 1
      Output.line(
        "  missing then: \(count) commit\(count == 1 ? "" : "s"), positions \(lost.lowerBound) to \(lost.upperBound)"
          + time(of: report.lastLostBatch))
    } else {
      Output.line("  missing then: no commit that is known of")
    }
    let events = report.eventCount.map(String.init) ?? "an unknown number of"
    if report.eventCount != 0 { Output.line("  events of triggers that would be dropped: \(events)") }
  }

  /// When the last commit of a batch was decided.
  private func time(of batch: JournalBatch?) -> String {
    guard let batch, let last = (try? CommitRecord.marks(of: batch.payload))?.last else { return "" }
    return ", the last of \(Timestamp.text(milliseconds: last.wallMilliseconds))"
  }

  // MARK: Do

  private func replace(_ report: SalvageReport, _ name: String, _ salvage: JournalSalvage) throws {
    let time = Timestamp.text(milliseconds: WallClock.nowMilliseconds).filter { $0.isNumber || $0 == "T" }.prefix(15)
    let kept = "\(folder)/damaged-\(time)Z"
    let target = name == "accounts" ? kept : kept + "/databases"
    try TextFile.makeFolder(target)
    do throws(JournalError) {
      try salvage.replace(report, keepingIn: target)
    } catch {
      throw AdminFailure("\(name) was not repaired: \(error)")
    }
    Output.line("  repaired; what was there is kept in \(target)")
  }
}
