import HearthCrypto
import HearthJournal
import HearthTree

/// The file of a manifest, `backups/ID.json`: one line with an object, and one with the word `sha256`, a space, and the
/// SHA-256 of the first line without its line break.
///
/// ```json
/// {"format":1,"id":"20261123T155213.123Z-1a2b3c4d","kind":"incremental","instantMilliseconds":1795449133123,
///  "parent":"20261123T145213.120Z-5e6f7a8b",
///  "databases":[{"name":"databases/default","position":120,"runningHash":"00f3…","epoch":4,
///    "base":{"position":100,"runningHash":"91c0…","stream":{"bytes":5000000,"blobs":["…"]}},
///    "segments":[{"first":101,"last":120,"stream":{"bytes":900,"blobs":["…"]}}]}],
///  "files":{"bytes":800,"blobs":["…"]},"secrets":{"form":"sealed","stream":{"bytes":9000,"blobs":["…"]}}}
/// ```
///
/// A complete log has no `base`. `form` is `clear`, `sealed` or `none`, the last without a stream.
extension Manifest {
  static let format: Int64 = 1
  private static let hashMark = "\nsha256 "

  /// The content of the file.
  var file: [UInt8] {
    let line = json.text()
    return line + Array((Self.hashMark + Digest(sha256: line).hex + "\n").utf8)
  }

  /// - Throws: `.damaged` when the content was altered; `.unsupportedFormat`.
  init(file: [UInt8], path: String) throws(BackupError) {
    let tail = Self.hashMark.utf8.count + 2 * BlobID.sizeBytes + 1
    guard file.count > tail, file.last == UInt8(ascii: "\n") else { throw Self.damaged(path) }
    let line = Array(file[..<(file.count - tail)])
    let mark = Array((Self.hashMark + Digest(sha256: line).hex + "\n").utf8)
    guard file[line.count...].elementsEqual(mark), let json = JSON(parsing: line) else { throw Self.damaged(path) }
    guard json["format"]?.int == Self.format else {
      throw BackupError(.unsupportedFormat, "the backup was written by a newer version of Hearth", path: path)
    }
    guard let manifest = Manifest(json) else { throw Self.damaged(path) }
    self = manifest
  }

  private static func damaged(_ path: String) -> BackupError {
    BackupError(
      .damaged,
      "the backup's list does not match its checksum: restore the file from a copy, or move it away; other backups do not "
        + "need it", path: path)
  }

  private var json: JSON {
    var json: JSON = [
      "format": .int(Self.format), "id": .string(id), "kind": .string(kind.rawValue),
      "instantMilliseconds": .int(instantMilliseconds),
    ]
    if let parent { json["parent"] = .string(parent) }
    json["databases"] = .array(databases.map(\.json))
    json["files"] = files.json
    var secret: JSON = ["form": .string(keysText)]
    switch secrets {
    case .none: break
    case .clear(let stream), .sealed(let stream): secret["stream"] = stream.json
    }
    json["secrets"] = secret
    return json
  }

  private init?(_ json: JSON) {
    guard let id = json["id"]?.string, Self.isID(id), let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)),
      let instant = json["instantMilliseconds"]?.int, let rows = json["databases"]?.array,
      let files = StreamReference(json["files"]), let secrets = Secrets(json["secrets"])
    else { return nil }
    let databases = rows.compactMap(Database.init)
    guard databases.count == rows.count, Set(databases.map(\.name)).count == rows.count else { return nil }
    self.init(
      id: id, kind: kind, instantMilliseconds: instant, parent: json["parent"]?.string, databases: databases,
      files: files, secrets: secrets)
  }

  /// Returns true when a text is a valid name of a backup, which becomes a file name.
  static func isID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"): true
        default: byte == UInt8(ascii: ".") && text.utf8.first != byte
        }
      }
  }
}

extension Manifest.Database {
  /// Returns true for `accounts`, or `databases/` and 1 to 63 of `a-z`, `0-9`, `_` and `-`, which becomes a file name.
  static func isName(_ text: String) -> Bool {
    if text == "accounts" { return true }
    guard text.hasPrefix("databases/") else { return false }
    let name = text.utf8.dropFirst("databases/".utf8.count)
    return (1...63).contains(name.count)
      && name.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      }
  }

  fileprivate var json: JSON {
    var json: JSON = [
      "name": .string(name), "position": .int(position), "runningHash": .string(runningHash.description),
      "epoch": .int(epoch),
    ]
    if let base {
      json["base"] = [
        "position": .int(base.position), "runningHash": .string(base.runningHash.description),
        "stream": base.stream.json,
      ]
    }
    let rows = segments.map { segment in
      ["first": .int(segment.first), "last": .int(segment.last), "stream": segment.stream.json] as JSON
    }
    json["segments"] = .array(rows)
    return json
  }

  fileprivate init?(_ json: JSON) {
    guard let name = json["name"]?.string, Self.isName(name), let position = json["position"]?.int, position >= 0,
      let hash = RunningHash(json["runningHash"]), let epoch = json["epoch"]?.int, epoch >= 0,
      let rows = json["segments"]?.array
    else { return nil }
    var base: Manifest.Base?
    if let found = json["base"] {
      guard let at = found["position"]?.int, (0...position).contains(at), let hash = RunningHash(found["runningHash"]),
        let stream = StreamReference(found["stream"])
      else { return nil }
      base = Manifest.Base(position: at, runningHash: hash, stream: stream)
    }
    var segments: [Manifest.Segment] = []
    for row in rows {
      guard let first = row["first"]?.int, let last = row["last"]?.int, first > 0, last >= first,
        segments.last.map({ $0.last == first - 1 }) ?? true, let stream = StreamReference(row["stream"])
      else { return nil }
      segments.append(Manifest.Segment(first: first, last: last, stream: stream))
    }
    // The segments must reach from the base to the position.
    if let last = segments.last {
      guard last.last == position, segments[0].first - 1 <= base?.position ?? 0 else { return nil }
    } else {
      guard base?.position ?? 0 == position else { return nil }
    }
    self.init(
      name: name, position: position, runningHash: hash, epoch: epoch, base: base, segments: segments)
  }
}

extension Manifest.Secrets {
  fileprivate init?(_ json: JSON?) {
    switch json?["form"]?.string {
    case "none": self = .none
    case "clear":
      guard let stream = StreamReference(json?["stream"]) else { return nil }
      self = .clear(stream)
    case "sealed":
      guard let stream = StreamReference(json?["stream"]) else { return nil }
      self = .sealed(stream)
    default: return nil
    }
  }
}

extension RunningHash {
  /// Reads the sixteen hexadecimal digits in a manifest.
  fileprivate init?(_ json: JSON?) {
    guard let text = json?.string, text.utf8.count == 16, let value = UInt64(text, radix: 16) else { return nil }
    self.init(rawValue: value)
    guard description == text else { return nil }
  }
}
