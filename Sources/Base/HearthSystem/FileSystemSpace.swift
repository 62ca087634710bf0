#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The size of a file system and the room that is left on it.
public struct FileSystemSpace: Sendable, Equatable {
  /// Bytes that this process's user may still write.
  public var availableBytes: Int
  /// Bytes of all of it.
  public var totalBytes: Int

  /// Makes the space of a file system with these sizes.
  public init(availableBytes: Int, totalBytes: Int) {
    (self.availableBytes, self.totalBytes) = (availableBytes, totalBytes)
  }

  /// Returns true when a number of the system says that there is no room: on the disk, for this user, or in one file.
  package static func isUsedUp(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

  /// Reads the file system of a path as it is now: `statvfs(2)`. Nil when the system does not tell.
  public init?(at path: String) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    func bytes(_ blocks: UInt64) -> Int {
      let (bytes, overflows) = blocks.multipliedReportingOverflow(by: UInt64(status.f_frsize))
      return overflows ? .max : Int(clamping: bytes)
    }
    self.init(availableBytes: bytes(UInt64(status.f_bavail)), totalBytes: bytes(UInt64(status.f_blocks)))
  }
}
