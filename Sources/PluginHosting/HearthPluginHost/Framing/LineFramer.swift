/// A splitter of a byte stream into lines. It does no input or output, and buffers no more than one line and one piece.
struct LineFramer {
  /// A line that is longer than allowed. The bytes after it cannot be trusted to begin a line.
  struct TooLong: Error, Equatable {}

  /// The maximum size of a line in bytes, without its end.
  let lineBytesMax: Int
  private var bytes: [UInt8] = []
  /// The start of the unfinished line in the buffer.
  private var start = 0
  /// The offset up to which the buffer has no line end.
  private var searched = 0

  init(lineBytesMax: Int) { self.lineBytesMax = lineBytesMax }

  /// The number of buffered bytes.
  var heldBytes: Int { bytes.count - start }

  /// Appends the next piece of the stream.
  mutating func append(_ piece: some Collection<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      searched -= start
      start = 0
    }
    bytes += piece
  }

  /// Returns the next whole line, without its end; nil when more bytes are needed.
  mutating func next() throws(TooLong) -> ArraySlice<UInt8>? {
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      guard bytes.count - start <= lineBytesMax else { throw TooLong() }
      return nil
    }
    guard end - start <= lineBytesMax else { throw TooLong() }
    defer { (start, searched) = (end + 1, end + 1) }
    return bytes[start..<end]
  }
}
