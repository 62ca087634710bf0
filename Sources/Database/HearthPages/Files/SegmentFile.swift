import HearthSystem
import HearthTree

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open segment file, which is closed at the end of the object's life.
final class SegmentFile: Sendable {
  let path: String
  private let descriptor: CInt

  /// The order in which a file will be read.
  enum Access {
    case random
    case sequential
  }

  /// Opens a file.
  ///
  /// - Parameter flags: The flags of `open(2)`. A symbolic link is not followed.
  init(_ path: String, flags: CInt) throws(PageError) {
    let descriptor = retrying { open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    guard descriptor >= 0 else { throw Self.error("cannot open the file", path) }
    (self.path, self.descriptor) = (path, descriptor)
  }

  deinit { _ = close(descriptor) }

  /// The size in bytes.
  var sizeBytes: Int {
    get throws(PageError) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw Self.error("cannot read the file's size", path) }
      return Int(status.st_size)
    }
  }

  /// Tells the system how the file will be read: it reads ahead in sequential order only.
  func advise(_ access: Access) {
    #if os(Linux)
      _ = posix_fadvise(descriptor, 0, 0, access == .random ? POSIX_FADV_RANDOM : POSIX_FADV_SEQUENTIAL)
    #endif
  }

  /// Reads at an offset until the buffer is full or the file ends, and returns the number of bytes read.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(PageError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = retrying {
        pread(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, offset + done)
      }
      guard count >= 0 else { throw Self.error("cannot read the file", path) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Returns the first bytes of the file, fewer if it is shorter.
  func bytes(upTo count: Int) throws(PageError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    return Array(buffer[..<(try read(into: buffer, at: 0))])
  }

  /// Writes all bytes at an offset.
  func write(_ bytes: [UInt8], at offset: Int) throws(PageError) {
    var done = 0
    while done < bytes.count {
      let count = retrying {
        bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done, offset + done) }
      }
      guard count >= 0 else { throw Self.error("cannot write the file", path) }
      done += count
    }
  }

  /// Cuts off the bytes from an offset on.
  func truncate(to sizeBytes: Int) throws(PageError) {
    guard retrying({ ftruncate(descriptor, sizeBytes) }) == 0 else {
      throw Self.error("cannot truncate the file", path)
    }
  }

  /// Makes the file's bytes durable.
  func synchronize() throws(PageError) {
    #if os(Linux)
      let result = retrying { fdatasync(descriptor) }
    #else
      let result = retrying { fsync(descriptor) }
    #endif
    guard result == 0 else { throw Self.error("cannot sync the file", path) }
  }

  /// Overwrites all bytes with zeros, durably.
  func erase() throws(PageError) {
    try erase(0..<(try sizeBytes))
    try synchronize()
  }

  /// Overwrites a range of bytes with zeros.
  func erase(_ range: Range<Int>) throws(PageError) {
    let zeros = [UInt8](repeating: 0, count: min(range.count, PageFileLimits.writeSizeBytes))
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = min(zeros.count, range.upperBound - offset)
      try write(count == zeros.count ? zeros : Array(zeros[..<count]), at: offset)
      offset += count
    }
  }

  /// Removes a file, which may be missing.
  static func remove(_ path: String) throws(PageError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw error("cannot remove the file", path) }
  }

  /// Returns the error for a failed system call, whose reason is in `errno`.
  static func error(_ action: String, _ path: String) -> PageError {
    let number = errno
    let code: PageError.Code =
      switch number {
      case _ where FileSystemSpace.isUsedUp(number): .noSpace
      case EACCES, EPERM, EROFS: .permissionDenied
      case ENOENT: .missing
      default: .inputOutput
      }
    return PageError("\(action): \(String(cString: strerror(number)))", code, file: path)
  }
}

/// Repeats a call while a signal interrupts it.
func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
