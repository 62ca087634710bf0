import HearthSystem
import HearthTree

/// `backup.json` in a data folder: the last backup that was made of it, for whoever wants to know its age.
///
/// ```json
/// {"format":1,"instantMilliseconds":1795449133123,"backup":"20261123T155213.123Z-1a2b3c4d","repository":"/backups",
///  "kind":"incremental","keys":"sealed"}
/// ```
///
/// Replaced as a whole when a backup is durable; of a stream, whose `repository` is `-`, when its last byte was taken. A
/// restored folder has none.
public struct BackupMarker: Sendable, Equatable {
  /// The file's name in the data folder.
  public static let name = "backup.json"

  /// What the backup holds: see ``Manifest/instantMilliseconds``.
  public var instantMilliseconds: Int64
  /// The backup's name.
  public var backup: String
  /// The folder of backups; `-` for a stream.
  public var repository: String
  /// What it added: `full`, `incremental` or `continuous`.
  public var kind: String
  /// The form in which keys are in it: `none`, `clear` or `sealed`.
  public var keys: String

  /// The marker of a backup.
  public init(_ manifest: Manifest, repository: String) {
    instantMilliseconds = manifest.instantMilliseconds
    backup = manifest.id
    self.repository = repository
    kind = manifest.kind.rawValue
    keys = manifest.keysText
  }

  /// The marker in a data folder; nil when no backup of it was made, or the file is none.
  public static func read(in dataDirectory: String) -> BackupMarker? {
    guard let bytes = try? WholeFile(folder: dataDirectory, name: name).read(bytesMax: 64 << 10),
      let json = JSON(parsing: bytes)
    else { return nil }
    return BackupMarker(json)
  }

  private init?(_ json: JSON) {
    guard let instant = json["instantMilliseconds"]?.int, let backup = json["backup"]?.string,
      let repository = json["repository"]?.string
    else { return nil }
    instantMilliseconds = instant
    self.backup = backup
    self.repository = repository
    kind = json["kind"]?.string ?? ""
    keys = json["keys"]?.string ?? ""
  }

  /// Puts it into the data folder.
  ///
  /// - Throws: `.inputOutput` when it cannot be written; the backup is none the worse for it.
  public func write(in dataDirectory: String) throws(BackupError) {
    let json: JSON = [
      "format": 1, "instantMilliseconds": .int(instantMilliseconds), "backup": .string(backup),
      "repository": .string(repository), "kind": .string(kind), "keys": .string(keys),
    ]
    let file = WholeFile(folder: dataDirectory, name: Self.name)
    do throws(WholeFile.Problem) { try file.write(json.text() + [UInt8(ascii: "\n")]) } catch {
      throw BackupError(
        error.isNoSpace ? .noSpace : .inputOutput, "the note of the last backup \(error.what): \(error.cause)",
        path: file.path)
    }
  }
}
