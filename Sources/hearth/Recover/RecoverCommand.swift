import ArgumentParser
import HearthJournal
import HearthProgram
import HearthSQLite
import HearthSystem

/// `hearth recover`
struct RecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Check a damaged file of a stopped server, and cut off the damage.",
    discussion: """
      FILE is the file that the server's error names: databases/NAME.sqlite or accounts.sqlite in the data folder. Exits \
      with 0 when the server can open the file; otherwise prints the damage and exits with 1. --accept-loss gives up \
      every commit from the first damaged one on, so restore a backup instead if there is one. The damaged bytes are \
      kept, in the file's table damaged_batch or beside it as FILE-wal.damaged.
      """)

  @Argument(help: ArgumentHelp("A database's or the accounts' file.", valueName: "file"))
  var file: String

  @Flag(help: "Cut off the damage, and lose the acknowledged commits that are missing.")
  var acceptLoss = false

  func run() throws {
    // Opening makes a new file where there is none.
    guard FileVersion(of: file) != nil else {
      throw ValidationError("There is no file \(file); name databases/NAME.sqlite or accounts.sqlite of a data folder.")
    }
    do {
      let journal = try SQLiteJournal(
        path: file,
        options: SQLiteJournal.Options(recovery: acceptLoss ? .truncateAtFirstDamage : .truncateTornTail))
      let recovery = journal.recovery
      try journal.close()
      for damage in recovery.damages { Output.line("\(damage)") }
      Output.line("\(file) is whole, up to position \(recovery.headPosition)")
    } catch {
      Output.note("\(error)")
      throw ExitCode.failure
    }
  }
}
