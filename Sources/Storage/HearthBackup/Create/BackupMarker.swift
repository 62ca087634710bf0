import HearthSystem
import HearthTree

/// `backup.json` in a data folder: a record of the last backup, from which its age can be read.
///
/// ```json
/// {"format":1,"instantMilliseconds":1795449133123,"backup":"20261123T155213.123Z-1a2b3c4d","repository":"/backups",
///  "kind":"incremental","keys":"sealed"}
/// ```
///
/// The file is replaced as a whole when a backup is durable; for a stream, whose `repository` is `-`, when its last
/// byte was written. A restored folder has no such file.
public struct BackupMarker: Sendable, Equatable {
  /// The file's name in the data folder.
  public static let name = "backup.json"

  /// The instant of the backup: see ``Manifest/instantMilliseconds``.
  public var instantMilliseconds: Int64
  /// The name of the backup.
  public var backup: String
  /// The folder of backups; `-` for a stream.
  public var repository: String
  /// The kind of the backup: `full`, `incremental` or `continuous`.
  public var kind: String
  /// The form in which keys are in it: `none`, `clear` or `sealed`.
  public var keys: String

  /// Creates the marker of a backup.
  public init(_ manifest: Manifest, repository: String) {
    instantMilliseconds = manifest.instantMilliseconds
    backup = manifest.id
    self.repository = repository
    kind = manifest.kind.rawValue
    keys = manifest.keysText
  }

  /// Reads the marker in a data folder; nil when there was no backup, or the file is no marker.
  public static func read(in dataDirectory: String) -> BackupMarker? {
    guard let bytes = try? AtomicFile(folder: dataDirectory, name: name).read(bytesMax: 64 << 10),
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

  /// Writes the marker to the data folder.
  ///
  /// - Throws: `.inputOutput` when it cannot be written, which does not affect the backup.
  public func write(in dataDirectory: String) throws(BackupError) {
    let json: JSON = [
      "format": 1, "instantMilliseconds": .int(instantMilliseconds), "backup": .string(backup),
      "repository": .string(repository), "kind": .string(kind), "keys": .string(keys),
    ]
    let file = AtomicFile(folder: dataDirectory, name: Self.name)
    do throws(AtomicFile.Problem) { try file.write(json.text() + [UInt8(ascii: "\n")]) } catch {
      throw BackupError(
        error.isNoSpace ? .noSpace : .inputOutput, "the record of the last backup \(error.what): \(error.cause)",
        path: file.path)
    }
  }
}
