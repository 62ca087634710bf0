import ArgumentParser
import HearthBackup
import HearthProgram
import HearthTree

/// The command `hearth backup verify`.
struct BackupVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read every byte of the backups and compare the hashes. Exits with 0 when all match, and 1 after damage.")

  @OptionGroup var place: RepositoryArgument

  @Argument(help: ArgumentHelp("Only this backup, by its name in hearth backup list.", valueName: "backup"))
  var backup: String?

  func run() throws {
    let report = try Verification(BackupRepository(path: place.repository, for: .reading)).run(only: backup)
    if place.json {
      Output.json(
        [
          "backups": .int(Int64(report.backupCount)), "pieces": .int(Int64(report.pieceCount)),
          "sizeBytes": .int(Int64(report.sizeBytes)),
          "findings": .array(
            report.findings.map { finding in
              [
                "path": .string(finding.path), "text": .string(finding.text),
                "backups": .array(finding.backups.map { .string($0) }),
              ]
            }),
        ])
    } else {
      for finding in report.findings { Output.line("\(finding)") }
      let count = report.findings.count
      let verdict =
        count == 0 ? "no damage" : "\(NumberFormat.counted(count, "file")) \(count == 1 ? "is" : "are") damaged"
      Output.line(
        "\(NumberFormat.counted(report.backupCount, "backup")), \(NumberFormat.counted(report.pieceCount, "piece")), "
          + "\(NumberFormat.counted(report.sizeBytes, "byte")): \(verdict)")
    }
    guard !report.findings.isEmpty else { return }
    Output.note(Verification.advice)
    throw ExitCode.failure
  }
}
