import Foundation

/// A session store in a file that only its owner may read or write, from the first byte on. A save replaces the file
/// atomically: a crash leaves the old session or the new one.
public struct FileSessionStore: AuthSessionStore {
  /// The file. A missing folder is created so that only its owner can access it.
  public let url: URL

  /// The maximum size of a session file; a session has some kilobytes.
  static let fileBytesMax = 1 << 20

  /// Creates a store in a file.
  public init(url: URL) { self.url = url }

  /// Returns the content of the file; nil when it is missing. Access for other users is removed first, and a symbolic
  /// link is not followed.
  public func load() throws -> Data? {
    let file = open(url.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure("cannot be opened")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw failure("is no file") }
    if status.st_mode & 0o077 != 0, fchmod(file, 0o600) != 0 { throw failure("is open to others") }
    guard status.st_size <= Self.fileBytesMax else { return nil }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while data.count <= Self.fileBytesMax {
      let count = read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("cannot be read") }
      if count == 0 { return data }
      data += buffer[..<count]
    }
    return nil
  }

  /// Replaces the file.
  public func save(_ session: Data) throws {
    let folder = url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw failure("cannot be written: its folder cannot be made")
    }
    let new = folder.appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)").path
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("cannot be written") }
    do {
      defer { close(file) }
      var rest = session[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure("cannot be written") }
        rest = rest.dropFirst(count)
      }
      guard fsync(file) == 0 else { throw failure("cannot be written") }
      guard rename(new, url.path) == 0 else { throw failure("cannot be replaced") }
    } catch {
      unlink(new)
      throw error
    }
  }

  /// Removes the file.
  public func clear() throws {
    guard unlink(url.path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw failure("cannot be removed") }
  }

  private func failure(_ what: String) -> NSError {
    let reason = String(cString: strerror(errno))
    return AuthErrorCode.keychainError.error(
      "The session's file \(url.path) \(what) (\(reason)). Give Auth a place it may use, with useSessionStore(_:).")
  }
}
