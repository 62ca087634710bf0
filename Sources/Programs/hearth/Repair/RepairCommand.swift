import ArgumentParser
import HearthJournal
import HearthProgram
import HearthServer
import HearthTree

/// The command `hearth repair`.
struct RepairCommand: ParsableCommand {
  private static let suffix = JournalEngines.folder.suffix

  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Check a stopped server's data folder for damage, and save the undamaged part.",
    discussion: """
      PATH is a data folder, or the file in it that a server's error names: databases/NAME\(suffix) or accounts\(suffix). \
      Says what is damaged or missing, and changes nothing; exits with 0 when a server can open all of it and nothing of \
      the past is damaged, otherwise with 1.

      With --apply each damaged file is replaced by a new one, with the longest part of its log that a state can be put \
      together from, and kept in a folder damaged-TIME in the data folder. --in-place cuts the file off before the first \
      damage instead, when the newest snapshot is whole: that needs no room, and keeps events that were not sent yet and \
      the past. The damaged bytes are kept in the file's table damaged_batch, or beside it as FILE-wal.damaged. Restore a \
      backup instead if there is one.
      """)

  @Argument(help: ArgumentHelp("The data folder, or a database's or the accounts' file.", valueName: "path"))
  var path: String

  @Flag(help: "Replace what is damaged by what can be saved, and lose the rest.")
  var apply = false

  @Flag(help: "With --apply: cut off the damage in the file itself, and all that follows it.")
  var inPlace = false

  func validate() throws {
    guard apply || !inPlace else { throw ValidationError("--in-place goes with --apply.") }
  }

  func run() throws {
    let target: RepairTarget
    // All journals are locked until the end, so that no server opens any of them meanwhile.
    var salvages: [(any JournalRepair)?] = []
    do {
      target = try RepairTarget(path)
      for journal in target.journals { salvages.append(try JournalEngines.folder.repair(journal.path)) }
    } catch let error as JournalError {
      throw AdminFailure("\(error)")
    }
    let keptFolder = "\(target.folder)/damaged-\(Timestamp.compact(milliseconds: WallClock.nowMilliseconds))"
    var isWhole = true
    for (index, journal) in target.journals.enumerated() {
      guard let report = salvages[index]?.examine() else { continue }
      Output.line(RepairText(journal: journal, report: report, keepsEvents: inPlace).text)
      if !report.lostPast.isEmpty { isWhole = false }
      if report.isWhole { continue }
      guard apply, !report.isLost else {
        isWhole = false
        continue
      }
      do {
        if inPlace {
          // Opening a journal takes its lock, so it must be free.
          salvages[index] = nil
          try cut(journal)
        } else {
          let folder = keptFolder + journal.group
          try TextFile.makeFolder(folder)
          try salvages[index]?.replace(report, keepingIn: folder)
          Output.line("  repaired; what was there is kept in \(folder)")
        }
      } catch let error as JournalError {
        throw AdminFailure("\(journal.name) was not repaired: \(error)")
      }
    }
    if !isWhole { throw ExitCode.failure }
  }

  private func cut(_ journal: RepairTarget.Journal) throws(JournalError) {
    let recovery = try JournalEngines.folder.cut(journal.path)
    for damage in recovery.damages { Output.line("  \(damage)") }
    Output.line("  repaired in place; it is whole, up to position \(recovery.headPosition)")
  }
}
