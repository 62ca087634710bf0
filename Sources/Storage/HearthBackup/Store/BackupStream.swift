import HearthBytes

/// A backup as one stream, for programs that keep, copy or encrypt files:
///
/// ```
/// "HrthStrm" version:u8 record*
/// record = 1 length:u32 bytes        a piece, not compressed
///        | 2 length:u32 bytes        the content of the manifest's file, after all pieces that it names
///        | 0                         the end
/// ```
///
/// The length is little-endian, the version 1. Pieces are not compressed and come in the order of the data, so that
/// deduplicating programs recognise them. Each piece occurs once.
public enum BackupStream {
  fileprivate static let start = Array("HrthStrm".utf8) + [1]
  fileprivate static let pieceMark: UInt8 = 1
  fileprivate static let manifestMark: UInt8 = 2
  fileprivate static let endMark: UInt8 = 0

  /// Reads a stream into a folder of backups.
  ///
  /// - Parameter read: Returns the next bytes, at most the given number; none at the end.
  /// - Returns: The manifest of the backup.
  /// - Throws: `.notBackups`, `.unsupportedFormat`, `.damaged` when it is truncated or incomplete.
  public static func receive(into repository: BackupRepository, _ read: (Int) throws -> [UInt8]) throws -> Manifest {
    func exactly(_ count: Int) throws -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(count)
      while bytes.count < count {
        let more = try read(count - bytes.count)
        guard !more.isEmpty, more.count <= count - bytes.count else {
          throw BackupError(.damaged, "the stream is truncated")
        }
        bytes += more
      }
      return bytes
    }
    let begin = try exactly(start.count)
    guard begin.dropLast().elementsEqual(start.dropLast()) else {
      throw BackupError(.notBackups, "the stream was not written by hearth backup create -")
    }
    guard begin.last == start.last else {
      throw BackupError(.unsupportedFormat, "the stream was written by a newer version of Hearth")
    }
    var manifest: Manifest?
    while let mark = try exactly(1).first, mark != endMark {
      var reader = ByteReader(try exactly(4)[...])
      let length = Int(try reader.number(UInt32.self))
      switch mark {
      case pieceMark where length <= BackupLimits.pieceBytesMax: _ = try repository.put(try exactly(length))
      case manifestMark where length <= BackupLimits.manifestBytesMax:
        manifest = try Manifest(file: try exactly(length), path: "-")
      default: throw BackupError(.damaged, "the stream contains an unknown entry")
      }
    }
    guard let manifest else { throw BackupError(.damaged, "the stream has no list of the backup") }
    try repository.commit(manifest)
    return manifest
  }
}

/// The writer of a backup as one stream.
public final class BackupStreamWriter: BlobStore {
  private let write: ([UInt8]) throws -> Void
  /// The names of the sent pieces, 32 bytes each.
  private var sent: Set<BlobID> = []
  private var hasBegun = false

  /// - Parameter write: Receives the next bytes.
  public init(_ write: @escaping ([UInt8]) throws -> Void) { self.write = write }

  /// Sends a piece, unless it was sent already.
  public func put(_ piece: [UInt8]) throws -> BlobID {
    let id = BlobID(of: piece)
    guard sent.insert(id).inserted else { return id }
    try send(BackupStream.pieceMark, piece)
    return id
  }

  /// Sends the manifest and the end.
  public func commit(_ manifest: Manifest) throws {
    try send(BackupStream.manifestMark, manifest.file)
    try write([BackupStream.endMark])
  }

  private func send(_ mark: UInt8, _ bytes: [UInt8]) throws {
    if !hasBegun {
      try write(BackupStream.start)
      hasBegun = true
    }
    guard let length = UInt32(exactly: bytes.count) else { throw BackupError(.tooLarge, "a record is too large") }
    var head = [mark]
    head.append(number: length)
    try write(head)
    try write(bytes)
  }
}
