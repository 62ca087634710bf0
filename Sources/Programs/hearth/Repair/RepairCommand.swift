import ArgumentParser
import HearthDatabase
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
      PATH is a data folder, or a file in it that a server's error names: databases/NAME\(suffix) or \
      accounts\(suffix). Without --apply, reads everything, lists what is damaged or missing, and changes nothing. \
      Exits with 0 when a server can open every file and neither pages nor the history are damaged, and 1 otherwise.

      --apply replaces each damaged file by a new file with the longest readable part of its log, and with the \
      readable pages of page files. It moves the damaged ones to the folder damaged-TIME in the data folder. \
      --in-place instead truncates the file before the first damage; the newest snapshot must be intact. It needs no \
      free space, and keeps unsent events and the history. The damaged bytes stay in the table damaged_batch of the \
      file, or beside it as FILE-wal.damaged. If there is a backup, restore it instead.
      """)

  @Argument(help: ArgumentHelp("The data folder, or the file of a database or of the accounts.", valueName: "path"))
  var path: String

  @Flag(help: "Replace damaged files by what can be saved. The rest is lost.")
  var apply = false

  @Flag(help: "With --apply: truncate the file itself before the first damage.")
  var inPlace = false

  func validate() throws {
    guard apply || !inPlace else { throw ValidationError("--in-place needs --apply.") }
  }

  func run() throws {
    let target: RepairTarget
    // All journals are locked until the end, so that no server opens any of them meanwhile.
    var salvages: [(any JournalRepair)?] = []
    do {
      target = try RepairTarget(path)
      for journal in target.journals {
        salvages.append(try JournalEngines.folder.repair(journal.path, PageCheckpointReader()))
      }
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
        if inPlace, report.hasUnreadablePages {
          throw JournalError(
            .unsupported, "pages cannot be repaired in place; run the command again without --in-place",
            at: JournalError.Place(file: journal.path))
        } else if inPlace {
          // Opening a journal takes its lock, so it must be free.
          salvages[index] = nil
          try cut(journal)
        } else {
          let folder = keptFolder + journal.group
          try TextFile.makeFolder(folder)
          try salvages[index]?.replace(report, keepingIn: folder)
          Output.line("  repaired; the damaged file is in \(folder)")
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
    Output.line("  repaired in place; intact up to position \(recovery.headPosition)")
  }
}
