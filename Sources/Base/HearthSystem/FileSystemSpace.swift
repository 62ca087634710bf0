#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The size of a file system and the free space on it.
public struct FileSystemSpace: Sendable, Equatable {
  /// The bytes that this process's user may still write.
  public var availableBytes: Int
  /// The size of the file system, in bytes.
  public var totalBytes: Int

  /// Creates the value from sizes.
  public init(availableBytes: Int, totalBytes: Int) {
    (self.availableBytes, self.totalBytes) = (availableBytes, totalBytes)
  }

  /// Returns true for an error number that means that there is no space: on the disk, in the user's quota, or within
  /// the file size limit.
  package static func isUsedUp(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

  /// Reads the file system of a path as it is now: `statvfs(2)`. nil when the system does not report it.
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
