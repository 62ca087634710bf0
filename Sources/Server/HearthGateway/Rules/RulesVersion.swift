import HearthCrypto
import HearthTree

/// A version of a database's rules: one entry of its history.
package struct RulesVersion: Sendable, Equatable {
  /// The cause of a version. The texts are in files and responses, and are never renamed.
  enum Cause: String, Sendable {
    /// The rules were uploaded, or a rules file was read.
    case deploy
    /// An administrator restored a former version.
    case rollback
    /// An administrator promoted the staged rules.
    case promote
    /// The server restored a former version because a promoted one denied too much.
    case automaticRollback
    /// The rules were found in force without a version in the history.
    case found
  }

  /// The version's number, which counts from 1 in each database and is not used twice.
  let id: Int64
  let timeMilliseconds: Int64
  let change: RulesChange
  let sizeBytes: Int
  /// The SHA-256 hash of the text.
  let digest: Digest

  init(id: Int64, timeMilliseconds: Int64, change: RulesChange, source: String) {
    (self.id, self.timeMilliseconds, self.change) = (id, timeMilliseconds, change)
    sizeBytes = source.utf8.count
    digest = Digest(sha256: source.utf8)
  }

  /// The version as JSON for administrators, without the text.
  var json: JSON {
    let head: JSON = ["id": .int(id), "time": .string(Timestamp.text(milliseconds: timeMilliseconds))]
    return head.appending(change.json).appending(Self.size(sizeBytes, digest))
  }

  /// Returns the members that identify a text.
  static func size(of source: String) -> JSON {
    size(source.utf8.count, Digest(sha256: source.utf8))
  }

  private static func size(_ sizeBytes: Int, _ digest: Digest) -> JSON {
    ["sizeBytes": .int(Int64(sizeBytes)), "sha256": .string(digest.hex)]
  }
}

// MARK: As a file

extension RulesVersion {
  /// ```json
  /// {"id":7,"timeMilliseconds":1700000000000,"cause":"deploy","author":{"kind":"administrator"},
  ///  "comment":"rooms are private","sha256":"…","source":"{\"rules\":{}}"}
  /// ```
  func text(with source: String) -> [UInt8] {
    let head: JSON = ["id": .int(id), "timeMilliseconds": .int(timeMilliseconds)]
    return head.appending(change.json).appending(["sha256": .string(digest.hex), "source": .string(source)]).text()
  }

  /// Reads a version with its text; nil for bytes that ``text(with:)`` does not write.
  static func read(_ bytes: [UInt8]) -> (version: RulesVersion, source: String)? {
    guard let json = JSON(parsing: bytes), let id = json["id"]?.int, let time = json["timeMilliseconds"]?.int,
      let change = RulesChange(json), let source = json["source"]?.string
    else { return nil }
    let version = RulesVersion(id: id, timeMilliseconds: time, change: change, source: source)
    guard json["sha256"]?.string == version.digest.hex else { return nil }
    return (version, source)
  }
}
