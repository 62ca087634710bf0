import HearthJournal
import HearthSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file descriptor that is closed when the value is destroyed.
///
/// Every descriptor is close-on-exec: a child process must not inherit the owner's lock.
struct PosixFile: ~Copyable {
  private let descriptor: CInt
  let path: String

  /// Opens `path`.
  ///
  /// - Parameters:
  ///   - flags: The flags of `open(2)`.
  ///   - mode: The permissions of a file that is created.
  /// - Throws: `.permissionDenied`, `.noSpace`, or `.inputOutput`.
  init(_ path: String, flags: CInt, mode: mode_t = 0o600) throws(JournalError) {
    let descriptor = retrying { open(path, flags | O_CLOEXEC, mode) }
    guard descriptor >= 0 else { throw JournalError.system("cannot open the file", path: path, errno) }
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    _ = close(descriptor)
  }

  /// Returns the size in bytes.
  func sizeBytes() throws(JournalError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw JournalError.system("cannot read the file's size", path: path, errno)
    }
    return Int(status.st_size)
  }

  /// Reads at `offset` until `buffer` is full or the file ends.
  ///
  /// - Returns: The number of bytes read.
  func read(into buffer: inout [UInt8], at offset: Int) throws(JournalError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = retrying {
        buffer.withUnsafeMutableBytes { bytes in
          pread(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
        }
      }
      if count < 0 { throw JournalError.system("cannot read the file", path: path, errno) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all of `bytes` at the current offset.
  func write(_ bytes: ArraySlice<UInt8>) throws(JournalError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = retrying { rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) } }
      if count < 0 { throw JournalError.system("cannot write the file", path: path, errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes all of `bytes` at `offset`.
  func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(JournalError) {
    var done = 0
    while done < bytes.count {
      let count = retrying {
        bytes.withUnsafeBytes { bytes in
          pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
        }
      }
      if count < 0 { throw JournalError.system("cannot write the file", path: path, errno) }
      done += count
    }
  }

  /// Takes the exclusive lock without waiting.
  ///
  /// - Returns: False when another process holds it.
  func tryLock() throws(JournalError) -> Bool {
    if retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw JournalError.system("cannot lock the file", path: path, errno)
  }

  /// Truncates the file.
  func truncate(toBytes size: Int) throws(JournalError) {
    guard retrying({ ftruncate(descriptor, off_t(size)) }) == 0 else {
      throw JournalError.system("cannot truncate the file", path: path, errno)
    }
  }

  /// Makes the file durable.
  func synchronize() throws(JournalError) {
    guard retrying({ fsync(descriptor) }) == 0 else {
      throw JournalError.system("cannot sync the file", path: path, errno)
    }
  }

  /// Drops the system's cached pages of a file, so that they are read from the disk again. Best effort.
  static func forgetCached(_ path: String) {
    #if os(Linux)
      if let file = try? PosixFile(path, flags: O_RDONLY) {
        _ = posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
      }
    #endif
  }

  /// Makes the names in the folder of `path` durable.
  static func synchronizeFolder(of path: String) throws(JournalError) {
    let folder = AtomicFile.parent(of: path)
    guard AtomicFile.synchronize(folder: folder) else {
      throw JournalError.system("cannot sync the folder", path: folder, errno)
    }
  }

  /// Returns the size of the file at `path`; nil when it is missing.
  static func sizeBytes(of path: String) throws(JournalError) -> Int? {
    var status = stat()
    if stat(path, &status) == 0 { return Int(status.st_size) }
    if errno == ENOENT { return nil }
    throw JournalError.system("cannot inspect the file", path: path, errno)
  }

  /// Creates a missing file, durably and readable by its owner only; SQLite gives `-wal` and `-shm` the same
  /// permissions.
  static func createMissing(_ path: String) throws(JournalError) {
    guard try sizeBytes(of: path) == nil else { return }
    try PosixFile(path, flags: O_RDWR | O_CREAT | O_EXCL).synchronize()
    try synchronizeFolder(of: path)
  }

  /// Creates a hard link to a file.
  static func link(_ path: String, _ other: String) throws(JournalError) {
    guard systemLink(path, other) == 0 else { throw JournalError.system("cannot link to \(other)", path: path, errno) }
  }

  /// Creates a hard link to a file that may be missing.
  static func linkIfThere(_ path: String, _ other: String) throws(JournalError) {
    guard try sizeBytes(of: path) != nil else { return }
    try link(path, other)
  }

  /// Renames a file, replacing a file of that name; a missing one is no error.
  static func moveIfThere(_ path: String, to other: String) throws(JournalError) {
    guard rename(path, other) == 0 || errno == ENOENT else {
      throw JournalError.system("cannot rename to \(other)", path: path, errno)
    }
  }

  /// Removes a file, if it exists and may be removed.
  static func remove(_ path: String) { _ = unlink(path) }

  /// Copies a file under a new name, durably.
  static func copy(_ source: String, to target: String) throws(JournalError) {
    let input = try PosixFile(source, flags: O_RDONLY)
    let output = try PosixFile(target, flags: O_WRONLY | O_CREAT | O_TRUNC)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var offset = 0
    while true {
      let count = try input.read(into: &buffer, at: offset)
      if count == 0 { break }
      try output.write(buffer[..<count])
      offset += count
    }
    try output.synchronize()
    try synchronizeFolder(of: target)
  }
}

/// Repeats a call while a signal interrupts it.
private func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

/// Calls `link(2)`, which the method of that name hides.
private func systemLink(_ path: String, _ other: String) -> CInt { link(path, other) }

/// Calls `write(2)`, which the method of that name hides.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

extension JournalError {
  /// Returns the error for a failed system call.
  static func system(_ message: String, path: String, _ number: CInt) -> JournalError {
    let code: Code =
      switch number {
      case _ where FileSystemSpace.isUsedUp(number): .noSpace
      case EACCES, EPERM, EROFS: .permissionDenied
      default: .inputOutput
      }
    return JournalError(code, message, at: Place(file: path), cause: String(cString: strerror(number)))
  }
}
