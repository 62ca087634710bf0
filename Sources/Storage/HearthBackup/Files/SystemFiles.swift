import Glibc
import HearthSystem

/// The file operations of the system.
public struct SystemFiles: FileLayer {
  /// Creates the file operations.
  public init() {}

  public func makeFolder(_ path: String) throws(BackupError) {
    guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
    throw Self.failure("cannot create the folder", path)
  }

  public func names(in path: String) throws(BackupError) -> [String] {
    do throws(AtomicFile.Problem) { return try AtomicFile.names(in: path) } catch {
      throw BackupError(.inputOutput, "cannot list the folder: \(error.cause)", path: path)
    }
  }

  public func read(_ path: String, sizeBytesMax: Int) throws(BackupError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      guard errno == ENOENT else { throw Self.failure("cannot open the file", path) }
      return nil
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var status = stat()
    guard fstat(file, &status) == 0 else { throw Self.failure("cannot inspect the file", path) }
    guard Int64(status.st_size) <= Int64(sizeBytesMax) else {
      throw BackupError(
        .tooLarge, "the file has \(status.st_size) bytes; the limit is \(sizeBytesMax)", path: path)
    }
    bytes.reserveCapacity(Int(status.st_size))
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = systemRead(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure("cannot read the file", path) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= sizeBytesMax else {
        throw BackupError(.tooLarge, "the file grew beyond \(sizeBytesMax) bytes", path: path)
      }
    }
  }

  public func create(_ path: String, _ bytes: [UInt8]) throws(BackupError) {
    unlink(path)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw Self.failure("cannot create the file", path) }
    defer { close(file) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("cannot write the file", path) }
      rest = rest.dropFirst(count)
    }
  }

  public func synchronize(_ path: String) throws(BackupError) {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { throw Self.failure("cannot open", path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw Self.failure("cannot sync to disk", path) }
  }

  public func synchronizeFolder(_ path: String) throws(BackupError) {
    guard AtomicFile.synchronize(folder: path) else { throw Self.failure("cannot sync to disk", path) }
  }

  public func rename(_ path: String, to other: String) throws(BackupError) {
    guard Glibc.rename(path, other) == 0 else { throw Self.failure("cannot rename to \(other) the file", path) }
  }

  public func remove(_ path: String) throws(BackupError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw Self.failure("cannot remove the file", path) }
  }

  public func lock(_ path: String, isShared: Bool) throws(BackupError) -> (any FileLock)? {
    var file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    // A reader may have no permission to write to the lock file.
    if file < 0, isShared { file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    guard file >= 0 else {
      // A copy on a read-only file system needs no lock.
      if isShared, [ENOENT, EROFS, EACCES].contains(errno) { return Lock(-1) }
      throw Self.failure("cannot open the lock", path)
    }
    guard flock(file, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
      let reason = errno
      close(file)
      if reason == EWOULDBLOCK { return nil }
      errno = reason
      throw Self.failure("cannot take the lock", path)
    }
    return Lock(file)
  }

  /// A lock that is held until its release or the end of the process.
  private final class Lock: FileLock {
    private let file: Int32
    init(_ file: Int32) { self.file = file }
    deinit { if file >= 0 { close(file) } }
  }

  static func failure(_ what: String, _ path: String, _ reason: Int32 = errno) -> BackupError {
    BackupError(
      FileSystemSpace.isUsedUp(reason) ? .noSpace : .inputOutput, "\(what): \(String(cString: strerror(reason)))",
      path: path)
  }
}

/// Calls `read(2)`, which a method of that name hides.
private func systemRead(_ file: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int { read(file, &buffer, count) }

/// Calls `write(2)`, which a method of that name hides.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
