#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The version of a file, which changes with its content and is determined without opening it. Links are followed, so
/// the version also changes when a link points to another file.
package struct FileVersion: Sendable, Equatable {
  private var device: UInt64
  private var inode: UInt64
  /// The file's length.
  package var sizeBytes: Int64
  private var modifiedNanoseconds: Int64
  /// True for a file, and false for a folder, pipe or device.
  package var isRegular: Bool

  /// Reads the version of the file at a path; nil when there is no file, or its properties cannot be read.
  package init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    sizeBytes = Int64(status.st_size)
    isRegular = status.st_mode & S_IFMT == S_IFREG
    #if canImport(Darwin)
      let modified = status.st_mtimespec
    #else
      let modified = status.st_mtim
    #endif
    modifiedNanoseconds = Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec)
  }
}
