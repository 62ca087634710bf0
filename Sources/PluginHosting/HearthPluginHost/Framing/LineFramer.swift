/// Cuts a stream of bytes into lines. Pure: it is handed bytes, and holds no more of them than one line and one piece.
struct LineFramer {
  /// A line that is longer than allowed. Nothing after it can be trusted to begin where it seems to.
  struct TooLong: Error, Equatable {}

  /// Bytes of a line without its end.
  let lineBytesMax: Int
  private var bytes: [UInt8] = []
  /// The place where the line begins that is not finished yet.
  private var start = 0
  /// Up to where no line end is.
  private var searched = 0

  init(lineBytesMax: Int) { self.lineBytesMax = lineBytesMax }

  /// Bytes that are held.
  var heldBytes: Int { bytes.count - start }

  /// Takes the next piece of the stream.
  mutating func append(_ piece: some Collection<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      searched -= start
      start = 0
    }
    bytes += piece
  }

  /// The next whole line, without its end; nil when more bytes are needed.
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
