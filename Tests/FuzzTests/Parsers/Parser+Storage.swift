import HearthJournal
import HearthTree

@testable import HearthBackup
@testable import HearthCrypto
@testable import HearthDatabase
@testable import HearthEngine

extension Parser {
  /// Parsers of stored files; a damaged disk is untrusted input as well.
  static let storageParsers = [
    Parser(name: "records") { bytes in
      let decoded = try? CommitRecord.decode(bytes)
      var root = Node.empty
      for case .changes(let changes) in decoded?.flatMap(\.parts).map(\.content) ?? [] {
        root = CommitRecord.apply(changes, to: root)
      }
      _ = try? CommitRecord.marks(of: bytes)
      _ = try? RecordScan.time(ofRecord: 1, in: bytes)
      var reader = LogReader()
      let batch = JournalBatch(firstPosition: 1, lastPosition: Int64(max(1, decoded?.count ?? 1)), payload: bytes)
      try? reader.read(batch, after: 0) { _, _ in }
      var follower = Engine(following: DatabaseState(root: .empty, rules: .denyAll, position: 0))
      let instant = Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)
      _ = try? follower.follow(
        bytes, firstPosition: batch.firstPosition, lastPosition: batch.lastPosition, at: instant)
    },
    Parser(name: "snapshot") { bytes in
      var reader = SnapshotReader()
      for piece in pieces(of: bytes) { guard (try? reader.read(Array(piece))) != nil else { return } }
      _ = reader.root?.json(.export)
    },
    Parser(name: "backup-blob") { bytes in _ = BlobFormat.decode(bytes, BlobID(of: bytes)) },
    Parser(name: "backup-manifest") { bytes in
      // With a valid checksum, so that the content is parsed.
      let sum = Array(("\nsha256 " + Digest(sha256: bytes).hex + "\n").utf8)
      guard let manifest = try? Manifest(file: bytes + sum, path: "manifest") else { return }
      let again = try? Manifest(file: manifest.file, path: "manifest")
      try require(again?.file == manifest.file, "a backup's list that is read as another one")
    },
    Parser(name: "backup-log") { bytes in
      var decoder = SegmentDecoder()
      for piece in pieces(of: bytes) {
        guard (try? decoder.take(Array(piece)) { _ in true }) != nil else { return }
      }
    },
    Parser(name: "backup-files") { bytes in
      var decoder = FileArchiveDecoder()
      for piece in pieces(of: bytes) {
        do {
          try decoder.take(Array(piece)) { part in
            switch part {
            case .folder(let path, _), .file(let path, _):
              let parts = path.split(separator: "/", omittingEmptySubsequences: false)
              let isInside = !parts.contains("..") && !parts.contains("")
              try require(isInside, "a path that leads out of the folder: \(path)")
            case .bytes: break
            }
          }
        } catch let broken as Violation {
          throw broken
        } catch {
          return
        }
      }
    },
  ]
}
