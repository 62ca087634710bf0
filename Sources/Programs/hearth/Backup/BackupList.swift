import ArgumentParser
import HearthBackup
import HearthProgram
import HearthTree

/// The command `hearth backup list`.
struct BackupList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List backups, oldest first, with the positions of their databases.")

  @OptionGroup var place: RepositoryArgument

  func run() throws {
    let (manifests, broken) = try BackupRepository(path: place.repository, for: .reading).manifests()
    if place.json {
      for manifest in manifests { Output.json(manifest.outputJSON) }
    } else {
      var table = TextTable(head: ["BACKUP", "AS OF", "KIND", "KEYS", "BYTES", "POSITIONS"])
      for manifest in manifests {
        table.add([
          manifest.id, Timestamp.text(milliseconds: manifest.instantMilliseconds), manifest.kind.rawValue,
          manifest.keysText,
          NumberFormat.grouped(Double(manifest.sizeBytes)),
          manifest.databases.map { "\($0.name)=\($0.position)" }.joined(separator: " "),
        ])
      }
      Output.line(manifests.isEmpty ? "no backups" : table.text)
    }
    for error in broken { Output.note("hearth: \(error)") }
    if !broken.isEmpty { throw ExitCode.failure }
  }
}
