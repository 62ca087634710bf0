import Glibc
import HearthSystem

/// Reading and writing of small text files, with errors that contain the path.
package enum TextFile {
  /// The error of a failed action, with the file and the system's reason.
  package struct Failure: Error, CustomStringConvertible {
    /// The description, one sentence.
    package var description: String

    /// Creates the error with the reason in `errno`.
    package init(_ verb: String, _ path: String) {
      description = "cannot \(verb) \(path): \(String(cString: strerror(errno)))"
    }

    /// Creates the error with a description.
    package init(_ description: String) { self.description = description }
  }

  /// The most bytes that ``read(_:)`` accepts: the largest text that is read as a whole, an export of users, is
  /// smaller.
  package static let sizeBytesMax = 64 << 20

  /// Reads a file of UTF-8 text.
  package static func read(_ path: String) throws -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure("read", path) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(file, &chunk, chunk.count)
      guard count >= 0 else { throw Failure("read", path) }
      if count == 0 { break }
      bytes += chunk[..<count]
      guard bytes.count <= sizeBytesMax else { throw Failure("\(path) is larger than \(sizeBytesMax) bytes") }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure("\(path) is not UTF-8 text") }
    return text
  }

  /// Creates a file. Returns false, and changes nothing, when it exists already.
  package static func create(_ path: String, _ text: String) throws -> Bool {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      if errno == EEXIST { return false }
      throw Failure("create", path)
    }
    defer { close(file) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure("write", path) }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Replaces a file atomically: the old content stays until the new bytes are on the disk.
  package static func replace(_ path: String, _ bytes: [UInt8], mode: mode_t) throws {
    let writer = try FileWriter(replacing: path, mode: mode)
    try writer.write(bytes)
    try writer.finish()
  }

  /// Creates a folder, and its missing parents, which only the owner can access. An existing folder is not changed.
  package static func makeFolder(_ path: String) throws {
    guard AtomicFile.makeFolder(path) else { throw Failure("create the folder", path) }
  }

  /// Returns the absolute path, for a process with another working directory.
  package static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }
}

/// A writer that writes a temporary file next to the target and renames it at the end. When it is not finished, the
/// temporary file is removed.
package final class FileWriter {
  private let path: String
  private var file: Int32

  private var temporaryPath: String { path + ".partial" }

  /// Begins a file that will replace the one at `path`.
  package init(replacing path: String, mode: mode_t) throws {
    self.path = path
    unlink(path + ".partial")
    file = open(path + ".partial", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    guard file >= 0 else { throw TextFile.Failure("create", path + ".partial") }
  }

  /// Appends; may be called often.
  package func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw TextFile.Failure("write", path) }
      rest = rest.dropFirst(count)
    }
  }

  /// Renames the file to its target, durably.
  package func finish() throws {
    guard fsync(file) == 0, rename(temporaryPath, path) == 0 else { throw TextFile.Failure("write", path) }
    close(file)
    file = -1
    // The name is durable once the folder is synced, which some file systems do not support.
    guard AtomicFile.synchronize(folder: AtomicFile.parent(of: path)) || errno == EINVAL else {
      throw TextFile.Failure("write the folder of", path)
    }
  }

  deinit {
    guard file >= 0 else { return }
    close(file)
    unlink(temporaryPath)
  }
}
