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
      Every moment since then can still be restored: the last backup from before it stays too, and so does the newest one \
      in any case. What a kept backup needs is never removed.
      """)

  @OptionGroup var place: RepositoryArgument

  @Option(
    help: ArgumentHelp("Keep what is needed for the last: 30d. Without it no backup is removed.", valueName: "time"))
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
        "\(outcome.removed.count) backups were removed with \(outcome.removedPieceCount) pieces; \(outcome.keptCount) are kept"
      )
    }
  }
}
