#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A small file that is read and replaced atomically: after an interruption at any time, it has the old or the new
/// content.
///
/// Its methods block, and must not be called on event loops.
package struct AtomicFile {
  /// The path of the folder.
  package let folder: String
  /// The name of the file in the folder.
  package let name: String

  /// Creates a reference to a file in a folder; neither need exist.
  package init(folder: String, name: String) {
    self.folder = folder
    self.name = name
  }

  /// Creates a reference to the file at a path, which need not exist.
  package init(path: String) {
    folder = Self.parent(of: path)
    name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// The error of a file operation, as a phrase that follows its subject, as in "the settings cannot be read".
  package struct Problem: Error {
    /// The fault, such as "cannot be read".
    package let what: String
    /// The reason, from the system or the caller.
    package let cause: String
    /// True when the disk is full, so that a later attempt may succeed.
    package let isNoSpace: Bool

    /// Creates an error without an error number of the system.
    package init(_ what: String, cause: String) { (self.what, self.cause, isNoSpace) = (what, cause, false) }

    /// - Parameter code: The error number of the system.
    package init(_ what: String, code: Int32 = errno) {
      (self.what, cause) = (what, String(cString: strerror(code)))
      isNoSpace = FileSystemSpace.isUsedUp(code)
    }
  }

  /// The path of the file.
  package var path: String { "\(folder)/\(name)" }

  /// Reads the file's bytes.
  ///
  /// - Returns: nil when there is no such file.
  package func read(bytesMax: Int) throws(Problem) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw Problem("cannot be read") }
      return nil
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = systemRead(descriptor, &buffer, buffer.count)
      guard count >= 0, bytes.count <= bytesMax else { throw Problem("cannot be read") }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Replaces the file atomically. A missing folder is created.
  package func write(_ text: [UInt8]) throws(Problem) {
    guard Self.makeFolder(folder) else { throw Problem("cannot be written") }
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Problem("cannot be written") }
    let isWritten = Self.write(text, descriptor) && fsync(descriptor) == 0
    let code = errno
    guard close(descriptor) == 0, isWritten, rename(temporary, path) == 0, Self.synchronize(folder: folder) else {
      let problem = Problem("cannot be written", code: isWritten ? errno : code)
      unlink(temporary)
      throw problem
    }
  }

  /// Removes the file.
  ///
  /// - Returns: False when it still exists.
  package func remove() -> Bool {
    guard unlink(path) == 0 || errno == ENOENT else { return false }
    // When the folder is missing, so is the file.
    return Self.synchronize(folder: folder) || errno == ENOENT
  }

  /// Returns the names of the entries of a folder, in no order; empty when there is no such folder.
  package static func names(in folder: String) throws(Problem) -> [String] {
    guard let directory = opendir(folder) else {
      guard errno == ENOENT else { throw Problem("cannot be read") }
      return []
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Creates a folder and its missing parents, which only the owner can access.
  ///
  /// - Returns: False when the folder does not exist afterwards.
  package static func makeFolder(_ path: String) -> Bool {
    let parent = parent(of: path)
    if mkdir(path, 0o700) != 0 {
      guard errno == ENOENT else { return errno == EEXIST }
      // Some file systems do not permit a new folder even when its parent exists.
      guard parent != path, makeFolder(parent), mkdir(path, 0o700) == 0 || errno == EEXIST else { return false }
    }
    // Some folders cannot be synced, or may be written but not read.
    return synchronize(folder: parent) || errno == EINVAL || errno == EACCES
  }

  /// Returns the folder of a path: `.` for a name without a folder, `/` for an entry of the root.
  package static func parent(of path: String) -> String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  /// Makes the names in a folder durable: after a crash, files that were created, renamed or removed before are still
  /// so.
  ///
  /// - Returns: False when it failed; `errno` has the reason.
  package static func synchronize(folder: String) -> Bool {
    let descriptor = retrying { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { return false }
    let isDone = retrying { fsync(descriptor) } == 0
    let code = errno
    close(descriptor)
    errno = code
    return isDone
  }

  private static func write(_ text: [UInt8], _ descriptor: Int32) -> Bool {
    var rest = text[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// Repeats the call while a signal interrupts it.
private func retrying(_ call: () -> Int32) -> Int32 {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
  read(descriptor, &buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
