import Glibc
import HearthTree

/// The receipts in a data folder, one JSON object on each line, oldest first: `receipts.jsonl`, and before it
/// `receipts.1.jsonl`, which was the file until it became too long.
///
/// A line that a crash left unfinished is skipped. Only the folder's owner can read the files.
public enum ReceiptFile {
  /// The name of the current file.
  public static let name = "receipts.jsonl"
  /// The name of the previous file.
  public static let previousName = "receipts.1.jsonl"

  /// Returns the newest receipts in the folder, oldest first.
  ///
  /// - Parameter sizeBytesMax: the number of bytes that are read, from the end.
  public static func read(dataDirectory: String, sizeBytesMax: Int = 16 << 20) -> [JSON] {
    lines(dataDirectory: dataDirectory, sizeBytesMax: sizeBytesMax).compactMap { JSON(parsing: $0) }
      .filter { ($0["id"]?.int ?? 0) > 0 }
  }

  static func lines(dataDirectory: String, sizeBytesMax: Int) -> [ArraySlice<UInt8>] {
    let current = tail(dataDirectory + "/" + name, sizeBytesMax: sizeBytesMax)
    let previous = tail(dataDirectory + "/" + previousName, sizeBytesMax: sizeBytesMax - current.count)
    return [previous, current].flatMap { $0.split(separator: UInt8(ascii: "\n")) }
  }

  /// Returns the file's last bytes, from the beginning of a line.
  private static func tail(_ path: String, sizeBytesMax: Int) -> [UInt8] {
    guard sizeBytesMax > 0 else { return [] }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return [] }
    defer { Glibc.close(descriptor) }
    let size = Int(lseek(descriptor, 0, SEEK_END))
    let start = max(0, size - sizeBytesMax)
    var bytes = [UInt8](repeating: 0, count: max(0, size - start))
    var count = 0
    while count < bytes.count {
      let left = bytes.count - count
      let got = bytes.withUnsafeMutableBytes { bytes in
        pread(descriptor, bytes.baseAddress?.advanced(by: count), left, off_t(start + count))
      }
      guard got > 0 else { break }
      count += got
    }
    bytes.removeLast(bytes.count - count)
    guard start > 0 else { return bytes }
    return Array(bytes.drop { $0 != UInt8(ascii: "\n") })
  }
}
