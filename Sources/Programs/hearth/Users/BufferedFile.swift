import Glibc
import HearthProgram

/// A file's bytes one after the other, one chunk in memory at a time.
final class BufferedFile {
  private let file: Int32
  private let path: String
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)
  private var position = 0
  private var end = 0
  /// The number of bytes read so far.
  private(set) var offset = 0

  /// - Parameter path: The path of a file; `-` for standard input.
  init(path: String) throws {
    self.path = path
    file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw TextFile.Failure("read", path) }
  }

  deinit {
    if file > STDIN_FILENO { close(file) }
  }

  func next() throws -> UInt8? {
    guard let byte = try peek() else { return nil }
    position += 1
    offset += 1
    return byte
  }

  func peek() throws -> UInt8? {
    if position == end {
      repeat { end = read(file, &chunk, chunk.count) } while end < 0 && errno == EINTR
      position = 0
      guard end >= 0 else {
        end = 0
        throw TextFile.Failure("read", path)
      }
    }
    return position < end ? chunk[position] : nil
  }
}
