import CZlib
import CZstd

/// A decompressor of a file that arrives in pieces: any number of gzip members or Zstandard frames, one after the other.
///
/// Memory holds one piece of the output, and the window of the format: 32 KiB with gzip, at most 8 MiB with Zstandard.
package final class Decompressor {
  /// The error of a file that cannot be decompressed.
  package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The bytes are not the format's, or their checksum differs.
    case damaged(offsetBytes: Int)
    /// The file ends inside of a member or frame.
    case incomplete
    /// The output is too large for the size of the file.
    case expandsTooMuch
    case outOfMemory

    package var description: String {
      switch self {
      case .damaged(let offset): "the compressed file is damaged near byte \(offset): copy or export it again"
      case .incomplete: "the compressed file ends too early: copy or export it again"
      case .expandsTooMuch:
        "the file expands to more than \(Decompressor.ratioMax) times its size, which no export does: decompress it first"
      case .outOfMemory: "there is not enough memory to decompress the file"
      }
    }
  }

  /// The maximum ratio of output to input. An export with equal values in every place reaches about 100.
  package static let ratioMax = 200
  /// The number of bytes of output up to which the ratio is not checked.
  package static let uncheckedBytesMax = 64 << 20
  /// The maximum size of one piece of output.
  private static let pieceBytes = 1 << 18
  /// The base-2 logarithm of the largest accepted window of a Zstandard frame.
  private static let windowLogMax: Int32 = 23

  private enum Engine {
    case gzip(UnsafeMutablePointer<z_stream>)
    case zstandard(OpaquePointer)
  }

  private let engine: Engine
  private var input: [UInt8] = []
  /// The number of bytes of ``input`` that are decompressed.
  private var position = 0
  private var output = [UInt8](repeating: 0, count: pieceBytes)
  /// True between two members or frames, where the file may end.
  private var isBetween = true
  /// True when the last output filled its buffer, so that more may follow without further input.
  private var hasMore = false
  /// True after the padding with zeros that may follow the last gzip member.
  private var isPadding = false
  private var inputBytes = 0
  private var outputBytes = 0

  /// - Throws: ``Failure/outOfMemory``.
  package init(_ compression: Compression) throws(Failure) {
    switch compression {
    case .gzip:
      let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
      stream.initialize(to: z_stream())
      // 15 bits of window, and 16 for the header and trailer of gzip.
      guard inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
        stream.deallocate()
        throw .outOfMemory
      }
      engine = .gzip(stream)
    case .zstandard:
      guard let context = ZSTD_createDCtx() else { throw .outOfMemory }
      ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLogMax)
      engine = .zstandard(context)
    }
  }

  deinit {
    switch engine {
    case .gzip(let stream):
      inflateEnd(stream)
      stream.deallocate()
    case .zstandard(let context): ZSTD_freeDCtx(context)
    }
  }

  /// Adds the next bytes of the file. The former ones must have been taken: ``next()`` has returned nil.
  package func append(_ piece: some Collection<UInt8>) {
    input.removeAll(keepingCapacity: true)
    input.append(contentsOf: piece)
    position = 0
  }

  /// Returns the next bytes of the content, valid until the next call; nil when more of the file is needed.
  package func next() throws(Failure) -> ArraySlice<UInt8>? {
    while position < input.count || hasMore {
      let before = position
      let count = try step()
      inputBytes += position - before
      outputBytes += count
      guard outputBytes <= Self.uncheckedBytesMax || outputBytes / Self.ratioMax <= inputBytes else {
        throw .expandsTooMuch
      }
      if count > 0 { return output[..<count] }
    }
    return nil
  }

  /// Ends the file.
  ///
  /// - Throws: ``Failure/incomplete`` inside of a member or frame.
  package func finish() throws(Failure) {
    guard isBetween else { throw .incomplete }
  }

  /// Decompresses once, and returns the number of bytes of output.
  private func step() throws(Failure) -> Int {
    switch engine {
    case .gzip(let stream): try stepGzip(stream)
    case .zstandard(let context): try stepZstandard(context)
    }
  }

  private func stepGzip(_ stream: UnsafeMutablePointer<z_stream>) throws(Failure) -> Int {
    if isBetween, inputBytes > 0 {
      // Tapes and some programs pad a file with zeros.
      if isPadding || input[position] == 0 {
        isPadding = true
        guard input[position...].allSatisfy({ $0 == 0 }) else { throw .damaged(offsetBytes: inputBytes) }
        position = input.count
        return 0
      }
      guard inflateReset(stream) == Z_OK else { throw .damaged(offsetBytes: inputBytes) }
    }
    isBetween = false
    let (result, read, written) = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.pointee.next_in = input.baseAddress?.advanced(by: position)
        stream.pointee.avail_in = UInt32(input.count - position)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let result = inflate(stream, Z_NO_FLUSH)
        return (
          result, input.count - position - Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out)
        )
      }
    }
    position += read
    hasMore = written == output.count && result != Z_STREAM_END
    switch result {
    case Z_STREAM_END: isBetween = true
    case Z_OK: break
    // No progress was possible: the rest comes with the next input.
    case Z_BUF_ERROR: hasMore = false
    case Z_MEM_ERROR: throw .outOfMemory
    default: throw .damaged(offsetBytes: inputBytes + read)
    }
    return written
  }

  private func stepZstandard(_ context: OpaquePointer) throws(Failure) -> Int {
    let (result, read, written) = input.withUnsafeBytes { input in
      output.withUnsafeMutableBytes { output in
        var from = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: position)
        var to = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = ZSTD_decompressStream(context, &to, &from)
        return (result, from.pos - position, to.pos)
      }
    }
    guard ZSTD_isError(result) == 0 else { throw .damaged(offsetBytes: inputBytes + read) }
    position += read
    hasMore = written == output.count && result != 0
    isBetween = result == 0
    return written
  }
}
