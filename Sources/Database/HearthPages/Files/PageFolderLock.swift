import HearthSystem
import HearthTree

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A lock on the folder of a database's page files, between processes: many read a checkpoint, or one removes or
/// overwrites segments that checkpoints have named.
///
/// The owner of the database appends without it. The lock is released with the object, and by the system when the
/// process ends.
package final class PageFolderLock: Sendable {
  private let descriptor: CInt

  /// Keeps segments that are in use now from being removed or overwritten.
  ///
  /// - Returns: nil while another process removes segments, which takes milliseconds; try again.
  package static func forReading(_ folder: String) throws(PageError) -> PageFolderLock? {
    try PageFolderLock(folder, LOCK_SH)
  }

  /// Allows segments to be removed or overwritten.
  ///
  /// - Returns: nil while another process reads a checkpoint, such as for a backup; try again later.
  package static func forRemoving(_ folder: String) throws(PageError) -> PageFolderLock? {
    try PageFolderLock(folder, LOCK_EX)
  }

  private init?(_ folder: String, _ operation: CInt) throws(PageError) {
    let descriptor = retrying { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) }
    guard descriptor >= 0 else { throw SegmentFile.error("cannot open the folder", folder) }
    guard retrying({ flock(descriptor, operation | LOCK_NB) }) == 0 else {
      let isHeld = errno == EWOULDBLOCK
      let error = SegmentFile.error("cannot lock the folder", folder)
      _ = close(descriptor)
      if isHeld { return nil }
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { _ = close(descriptor) }
}
