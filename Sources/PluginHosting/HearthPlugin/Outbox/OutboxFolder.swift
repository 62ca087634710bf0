#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder that messages are written to instead of being sent. Only its owner can read or add files: the links and codes in them
/// give access to accounts.
public struct OutboxFolder: Sendable {
  private let path: String

  /// Makes the folder when it does not exist; nil when that fails, when it is not writable, or when other users can
  /// write to it.
  public init?(path: String) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST, access(path, W_OK | X_OK) == 0 else { return nil }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      status.st_mode & 0o022 == 0
    else { return nil }
    self.path = path
  }

  /// Writes a new file and returns its path. It gets its name when it is complete; until then its name begins with a
  /// point and ends with `.part`.
  public func write(_ bytes: [UInt8], name: String) throws(OutboxError) -> String {
    let (part, whole) = ("\(path)/.\(name).part", "\(path)/\(name)")
    let file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw OutboxError(reason: errno) }
    let failure = Self.write(bytes, to: file)
    close(file)
    guard failure == nil, rename(part, whole) == 0 else {
      let reason = failure ?? errno
      unlink(part)
      throw OutboxError(reason: reason)
    }
    return whole
  }

  /// Writes all bytes and returns nil, or the `errno` of the failure.
  private static func write(_ bytes: [UInt8], to file: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return errno }
      rest = rest.dropFirst(count)
    }
    return nil
  }
}

/// Calls the C library's `write`, which the methods of that name here would hide.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  guard let bytes else { return 0 }
  return write(file, bytes, count)
}

/// A message could not be written to the folder.
public struct OutboxError: Error, CustomStringConvertible {
  /// The system's error number.
  public let reason: Int32

  /// A line for the operator.
  public var description: String { "the outbox folder is not writable: \(String(cString: strerror(reason)))" }
}
