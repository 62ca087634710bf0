import HearthJournal
import HearthTree
import RandomTestKit
import Testing

@testable import HearthBackup

@Suite struct FormatTests {
  @Test func `the documented example of a segment is valid`() throws {
    let text = """
      48 72 74 68 42 6c 6f 62 01 01 06 00 00 00 28 b5
      2f fd 24 06 31 00 00 68 65 61 72 74 68 ab b4 b4
      17
      """
    let file = text.split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0, radix: 16) }
    let piece = Array("hearth".utf8)
    let id = BlobID(of: piece)
    #expect(id.description.hasPrefix("fe586323e9793abc"))
    #expect(BlobFormat.decode(file, id) == piece)
    #expect(BlobFormat.decode(file, BlobID(of: [1])) == nil)
  }

  @Test func `pieces of all sizes are read as written, and invalid bytes are refused`() throws {
    var random = SeededRandom(seed: 50)
    for size in [0, 1, 1_000, BackupLimits.pieceBytesMax] {
      let piece = size > 10_000 ? [UInt8](repeating: 7, count: size) : (0..<size).map { _ in UInt8(random.below(256)) }
      let file = try BlobFormat.encode(piece)
      #expect(BlobFormat.decode(file, BlobID(of: piece)) == piece)
      for _ in 0..<(size > 10_000 ? 3 : 40) {
        var damaged = file
        damaged[random.below(damaged.count)] ^= UInt8(1 + random.below(255))
        #expect(BlobFormat.decode(damaged, BlobID(of: piece)) == nil)
        #expect(BlobFormat.decode(Array(file[..<random.below(file.count)]), BlobID(of: piece)) == nil)
      }
    }
    #expect(throws: BackupError.self) {
      try BlobFormat.encode([UInt8](repeating: 0, count: BackupLimits.pieceBytesMax + 1))
    }
  }

  @Test func `a stream is cut into the same pieces, however it is divided into reads`() {
    var random = SeededRandom(seed: 51)
    var bytes: [UInt8] = []
    while bytes.count < 5 << 20 { withUnsafeBytes(of: random.next()) { bytes += $0 } }
    func pieces(_ bytes: [UInt8], _ part: Int) -> [[UInt8]] {
      var (cutter, found, start): (StreamCutter, [[UInt8]], Int) = (StreamCutter(), [], 0)
      while start < bytes.count {
        let end = min(bytes.count, start + part)
        cutter.take(Array(bytes[start..<end])) { found.append($0) }
        start = end
      }
      cutter.finish { found.append($0) }
      return found
    }
    let whole = pieces(bytes, bytes.count)
    #expect(Array(whole.joined()) == bytes)
    #expect(
      whole.dropLast().allSatisfy { (BackupLimits.pieceBytesMin...BackupLimits.pieceBytesMax).contains($0.count) })
    #expect(whole.count > 2)
    #expect(pieces(bytes, 524_288) == whole)
    #expect(pieces(bytes, 100_003) == whole)
    // An insertion near the beginning.
    let changed = Set(pieces(Array(bytes[..<100_000]) + [1, 2, 3] + bytes[100_000...], 524_288)).subtracting(whole)
    #expect(changed.count <= 2)
    // Data without content boundaries is cut at the greatest size.
    #expect(pieces([UInt8](repeating: 0, count: 5 << 20), 1 << 20).map(\.count).max() == BackupLimits.pieceBytesMax)
  }

  @Test func `batches are decoded, however their bytes are divided, and invalid ones are refused`() throws {
    var random = SeededRandom(seed: 52)
    let links = (1...20).map { number -> JournalLink in
      let batch = JournalBatch(
        firstPosition: Int64(number), lastPosition: Int64(number),
        payload: [UInt8](repeating: 5, count: random.below(300)))
      return JournalLink(batch: batch, epoch: 3, runningHash: RunningHash(rawValue: random.next()))
    }
    let bytes = links.flatMap(SegmentFormat.encode)
    for part in [1, 7, 100, bytes.count] {
      var (decoder, found) = (SegmentDecoder(), [JournalLink]())
      for start in stride(from: 0, to: bytes.count, by: part) {
        _ = try decoder.take(Array(bytes[start..<min(bytes.count, start + part)])) { link in
          found.append(link)
          return true
        }
      }
      #expect(found == links && decoder.isAtEnd)
    }
    var decoder = SegmentDecoder()
    #expect(throws: BackupError.self) { _ = try decoder.take([UInt8](repeating: 0xFF, count: 100)) { _ in true } }
  }

  @Test(arguments: ["../a", "/a", "a/../../b", "a//b", "", "a/", ".", "a\0b"])
  func `files of an archive stay in their folder`(path: String) throws {
    #expect(!FileArchive.isPath(path))
    var decoder = FileArchiveDecoder()
    let entry = FolderEntry(path: path, isFolder: false, mode: 0o600)
    #expect(throws: BackupError.self) {
      try decoder.take(FileArchive.start + FileArchive.head(entry) + [FileArchive.endMark]) { _ in }
    }
  }

  @Test func `an archive is decoded, however its bytes are divided`() throws {
    let entries = [
      FolderEntry(path: "a", isFolder: true, mode: 0o700),
      FolderEntry(path: "a/b", isFolder: false, mode: 0o600, sizeBytes: 5),
      FolderEntry(path: "é", isFolder: false, mode: 0o400, sizeBytes: 0),
    ]
    let bytes =
      FileArchive.start + FileArchive.head(entries[0]) + FileArchive.head(entries[1]) + Array("hello".utf8)
      + FileArchive.head(entries[2]) + [FileArchive.endMark]
    for part in [1, 3, bytes.count] {
      var (decoder, text) = (FileArchiveDecoder(), "")
      for start in stride(from: 0, to: bytes.count, by: part) {
        try decoder.take(Array(bytes[start..<min(bytes.count, start + part)])) { part in
          switch part {
          case .folder(let path, let mode): text += "[\(path) \(mode)]"
          case .file(let path, let mode): text += "(\(path) \(mode))"
          case .bytes(let bytes): text += String(decoding: bytes, as: UTF8.self)
          }
        }
      }
      #expect(text == "[a 448](a/b 384)hello(é 256)" && decoder.isAtEnd)
    }
  }

  @Test func `a backup's manifest is read as written, and other texts are refused`() throws {
    let stream = StreamReference(sizeBytes: 10, names: [BlobID(of: [1])])
    let manifest = Manifest(
      id: "20261123T155213.123Z-1a2b3c4d", kind: .incremental, instantMilliseconds: 1_795_449_133_123, parent: "x",
      databases: [
        Manifest.Database(
          name: "databases/default", position: 120, runningHash: RunningHash(rawValue: 0xF3), epoch: 4,
          base: Manifest.Base(position: 100, runningHash: RunningHash(rawValue: 7), stream: stream),
          segments: [
            Manifest.Segment(first: 90, last: 120, stream: StreamReference(sizeBytes: 3, names: [], isListed: true))
          ])
      ], files: stream, secrets: .sealed(stream))
    let file = manifest.file
    #expect(try Manifest(file: file, path: "p") == manifest)
    var random = SeededRandom(seed: 53)
    for _ in 0..<300 {
      var damaged = file
      damaged[random.below(file.count)] ^= UInt8(1 + random.below(255))
      #expect(throws: BackupError.self) { try Manifest(file: damaged, path: "p") }
      #expect(throws: BackupError.self) { try Manifest(file: Array(file[..<random.below(file.count)]), path: "p") }
    }
    // A gap in the positions, and a file name that leads out of the folder.
    for change in [
      { (m: inout Manifest) in m.databases[0].segments[0].first = 102 },
      { $0.databases[0].position = 121 }, { $0.databases[0].name = "databases/../x" }, { $0.id = "../x" },
    ] {
      var other = manifest
      change(&other)
      #expect(throws: BackupError.self) { try Manifest(file: other.file, path: "p") }
    }
  }

  @Test func `times are read as they are written`() {
    #expect(Timestamp.text(milliseconds: 1_795_449_133_123) == "2026-11-23T15:52:13.123Z")
    #expect(UTCInstant.milliseconds("2026-11-23T15:52:13.123Z") == 1_795_449_133_123)
    #expect(UTCInstant.milliseconds("2026-11-23T15:52:13.1Z") == 1_795_449_133_100)
    #expect(UTCInstant.milliseconds("2026-11-23T15:52:13Z") == 1_795_449_133_000)
    for text in ["2026-02-30T00:00:00Z", "2026-11-23T25:00:00Z", "2026-11-23", "2026-11-23T15:52:13+01:00", ""] {
      #expect(UTCInstant.milliseconds(text) == nil, "\(text)")
    }
  }
}
