import CZstd
import HearthBytes

/// The file of a piece, `blobs/XX/NAME`, where NAME is the piece's ``BlobID`` and XX its first two digits. Integers are
/// little-endian.
///
///     0   "HrthBlob"
///     8   version, 1 byte: 1
///     9   compression, 1 byte: 1 is one frame of Zstandard (RFC 8878) with a checksum
///     10  the piece's bytes before compression, 4 bytes
///     14  the compressed piece, to the file's end
///
/// The file of the piece "hearth", whose name begins with fe586323e9793abc:
///
///     48 72 74 68 42 6c 6f 62 01 01 06 00 00 00 28 b5
///     2f fd 24 06 31 00 00 68 65 61 72 74 68 ab b4 b4
///     17
enum BlobFormat {
  private static let magic = Array("HrthBlob".utf8)
  private static let version: UInt8 = 1
  private static let zstandard: UInt8 = 1
  private static let headerBytes = 14
  /// The fastest level, because writers on the same machine have priority, and a higher level would save a tenth of the
  /// space in twice the time.
  private static let level: Int32 = 1

  /// The maximum file size: an incompressible piece grows by less than one part in 128.
  static let fileBytesMax = BackupLimits.pieceBytesMax + BackupLimits.pieceBytesMax / 128 + 1_024

  /// Returns the file of a piece.
  ///
  /// - Throws: `.tooLarge`, `.inputOutput` when there is no memory.
  static func encode(_ piece: [UInt8]) throws(BackupError) -> [UInt8] {
    guard let count = UInt32(exactly: piece.count), piece.count <= BackupLimits.pieceBytesMax else {
      throw BackupError(.tooLarge, "a part of \(piece.count) bytes is too large")
    }
    var file = magic + [version, zstandard]
    file.append(number: count)
    let capacity = ZSTD_compressBound(piece.count)
    guard let context = ZSTD_createCCtx() else { throw BackupError(.inputOutput, "not enough memory to compress") }
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    let frame = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, written in
      written = 0
      let size = ZSTD_compress2(context, buffer.baseAddress, capacity, piece, piece.count)
      if ZSTD_isError(size) == 0 { written = size }
    }
    guard !frame.isEmpty else { throw BackupError(.inputOutput, "a part cannot be compressed") }
    return file + frame
  }

  /// Returns the piece in a file; nil when the file is damaged or contains another piece.
  static func decode(_ file: [UInt8], _ id: BlobID) -> [UInt8]? {
    var reader = ByteReader(file[...])
    guard (try? reader.slice(magic.count))?.elementsEqual(magic) == true, (try? reader.number(UInt8.self)) == version,
      (try? reader.number(UInt8.self)) == zstandard, let count = (try? reader.number(UInt32.self)).map(Int.init),
      count <= BackupLimits.pieceBytesMax
    else { return nil }
    var isWhole = false
    let piece = [UInt8](unsafeUninitializedCapacity: max(1, count)) { buffer, written in
      file.withUnsafeBytes { bytes in
        let frame = UnsafeRawBufferPointer(rebasing: bytes[headerBytes...])
        isWhole = !frame.isEmpty && ZSTD_decompress(buffer.baseAddress, count, frame.baseAddress, frame.count) == count
      }
      written = isWhole ? count : 0
    }
    return isWhole && BlobID(of: piece) == id ? piece : nil
  }
}
