import Glibc

/// The writer of a data folder's files as one stream, see ``FileArchive``.
struct FileArchiveWriter {
  let folder: String

  /// - Parameter write: Receives the stream's bytes, in order.
  /// - Returns: False when a file has changed since the scan; the stream must then be discarded.
  /// - Throws: `.source` when a file is unreadable, or the error of `write`.
  func write(_ entries: [FolderEntry], _ write: ([UInt8]) throws -> Void) throws -> Bool {
    try write(FileArchive.start)
    for entry in entries {
      try write(FileArchive.head(entry))
      if !entry.isFolder, try !copy(entry, write) { return false }
    }
    try write([FileArchive.endMark])
    return true
  }

  /// Copies the number of bytes that the file had when it was scanned; a file that was appended to may have more now.
  private func copy(_ entry: FolderEntry, _ write: ([UInt8]) throws -> Void) throws -> Bool {
    let path = "\(folder)/\(entry.path)"
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT || errno == ELOOP { return false }
      throw BackupError(.source, "cannot open the file: \(String(cString: strerror(errno)))", path: path)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    var left = Int(entry.sizeBytes)
    var buffer = [UInt8](repeating: 0, count: min(max(1, left), 1 << 20))
    while left > 0 {
      let count = read(file, &buffer, min(left, buffer.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw BackupError(.source, "cannot read the file: \(String(cString: strerror(errno)))", path: path)
      }
      if count == 0 { return false }
      try write(Array(buffer[..<count]))
      left -= count
    }
    return true
  }
}
