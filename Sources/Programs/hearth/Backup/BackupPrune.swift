import ArgumentParser
import HearthBackup
import HearthProgram
import HearthTree

/// The command `hearth backup prune`.
struct BackupPrune: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove old backups and unused files.",
    discussion: """
      Every time within --keep can still be restored: the last backup before it stays too. The newest backup always \
      stays. Files that a remaining backup needs are never removed.
      """)

  @OptionGroup var place: RepositoryArgument

  @Option(
    help: ArgumentHelp(
      "Keep the backups needed to restore this time, such as 30d. If not given, no backup is removed.",
      valueName: "time"))
  var keep: DurationArgument?

  func run() throws {
    let limit = keep.map { WallClock.nowMilliseconds - $0.milliseconds }
    let outcome = try Retention(BackupRepository(path: place.repository, for: .removing)).prune(before: limit)
    if place.json {
      Output.json(
        [
          "removed": .array(outcome.removed.map { .string($0) }), "kept": .int(Int64(outcome.keptCount)),
          "removedPieces": .int(Int64(outcome.removedPieceCount)),
        ])
    } else {
      Output.line(
        "\(outcome.removed.count) backups and \(outcome.removedPieceCount) pieces removed, \(outcome.keptCount) kept"
      )
    }
  }
}
