import HearthCrypto
import HearthTree

/// Rules that were put in force on a database, and how: one line of its history.
package struct RulesVersion: Sendable, Equatable {
  /// How the rules came to be in force. The texts are in files and answers, and are never renamed.
  enum Cause: String, Sendable {
    /// Somebody uploaded them, or a rules file was read.
    case deploy
    /// Somebody went back to a former version.
    case rollback
    /// Somebody promoted the staged rules.
    case promote
    /// The server went back to a former version because a promoted one denied too much.
    case automaticRollback
    /// They were found in force: nothing in the history had put them there.
    case found
  }

  /// Counts from 1 in each database and is not used twice.
  let id: Int64
  let timeMilliseconds: Int64
  let change: RulesChange
  let sizeBytes: Int
  /// SHA-256 of the text.
  let digest: Digest

  init(id: Int64, timeMilliseconds: Int64, change: RulesChange, source: String) {
    (self.id, self.timeMilliseconds, self.change) = (id, timeMilliseconds, change)
    sizeBytes = source.utf8.count
    digest = Digest(sha256: source.utf8)
  }

  /// As administrators are shown it, without the text.
  var json: JSON {
    let head: JSON = ["id": .int(id), "time": .string(Timestamp.text(milliseconds: timeMilliseconds))]
    return head.appending(change.json).appending(Self.size(sizeBytes, digest))
  }

  /// What tells a text from others.
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

  /// A version with its text; nil for bytes that ``text(with:)`` does not give.
  static func read(_ bytes: [UInt8]) -> (version: RulesVersion, source: String)? {
    guard let json = JSON(parsing: bytes), let id = json["id"]?.int, let time = json["timeMilliseconds"]?.int,
      let change = RulesChange(json), let source = json["source"]?.string
    else { return nil }
    let version = RulesVersion(id: id, timeMilliseconds: time, change: change, source: source)
    guard json["sha256"]?.string == version.digest.hex else { return nil }
    return (version, source)
  }
}
