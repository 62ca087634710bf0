import Glibc
import HearthProgram

/// The bytes of a file, decompressed, one piece in memory at a time, without a UTF-8 byte order mark.
package final class FileInput {
  /// The size of a piece that is read at once.
  private static let pieceBytes = 1 << 18
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let file: Int32
  private let path: String
  private var piece = [UInt8](repeating: 0, count: pieceBytes)
  private var decompressor: Decompressor?
  private var isAtStart = true
  /// The number of bytes of the file that were read, for progress messages.
  package private(set) var readBytes = 0

  /// - Parameter path: The path of a file; `-` for standard input.
  package init(path: String) throws {
    self.path = path
    file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw TextFile.Failure("read", path) }
  }

  deinit {
    if file > STDIN_FILENO { close(file) }
  }

  /// Returns the whole content of a file; nil when it is longer than `bytesMax`.
  package static func content(of path: String, bytesMax: Int) throws -> [UInt8]? {
    let input = try FileInput(path: path)
    var bytes: [UInt8] = []
    while let piece = try input.next() {
      bytes += piece
      guard bytes.count <= bytesMax else { return nil }
    }
    return bytes
  }

  /// The file's size; nil when it is no regular file.
  package var sizeBytes: Int? {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Returns the next bytes, valid until the next call; nil at the end.
  ///
  /// - Throws: ``TextFile/Failure`` for a file that cannot be read or decompressed.
  package func next() throws -> ArraySlice<UInt8>? {
    if isAtStart {
      isAtStart = false
      let start = try read(atLeast: Compression.magicBytes)
      guard let compression = Compression(start: start) else {
        return start.isEmpty ? nil : start.starts(with: Self.mark) ? start.dropFirst(Self.mark.count) : start
      }
      let decompressor = try decompressing { () throws(Decompressor.Failure) in try Decompressor(compression) }
      decompressor.append(start)
      self.decompressor = decompressor
      let first = try content(of: decompressor)
      return first?.starts(with: Self.mark) == true ? first?.dropFirst(Self.mark.count) : first
    }
    if let decompressor { return try content(of: decompressor) }
    let next = try read(atLeast: 1)
    return next.isEmpty ? nil : next
  }

  private func content(of decompressor: Decompressor) throws -> ArraySlice<UInt8>? {
    while true {
      if let content = try decompressing(decompressor.next) { return content }
      let next = try read(atLeast: 1)
      guard !next.isEmpty else {
        try decompressing(decompressor.finish)
        return nil
      }
      decompressor.append(next)
    }
  }

  /// Reads a piece of the file, shorter than `count` only at its end.
  private func read(atLeast count: Int) throws -> ArraySlice<UInt8> {
    var end = 0
    while end < count {
      let read = piece.withUnsafeMutableBytes { piece in
        Glibc.read(file, piece.baseAddress?.advanced(by: end), piece.count - end)
      }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw TextFile.Failure("read", path) }
      guard read > 0 else { break }
      end += read
    }
    readBytes += end
    return piece[..<end]
  }

  private func decompressing<Value>(_ work: () throws(Decompressor.Failure) -> Value) throws(TextFile.Failure) -> Value
  {
    do throws(Decompressor.Failure) {
      return try work()
    } catch {
      throw TextFile.Failure("\(path): \(error)")
    }
  }
}
