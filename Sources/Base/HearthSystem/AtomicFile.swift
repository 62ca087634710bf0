#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A small file that is read and replaced as a whole: whatever happens meanwhile, it is the former one or the new one.
///
/// Blocks: not for event loops.
package struct AtomicFile {
  /// The path of the folder.
  package let folder: String
  /// The name of the file in the folder.
  package let name: String

  /// The file of that name in the folder; neither need be there.
  package init(folder: String, name: String) {
    self.folder = folder
    self.name = name
  }

  /// The file of a path; it need not be there.
  package init(path: String) {
    folder = Self.parent(of: path)
    name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// A fault of the file, in words that follow its subject, as in "the settings cannot be read".
  package struct Problem: Error {
    /// The fault, such as "cannot be read".
    package let what: String
    /// The reason, as the system or the caller says it.
    package let cause: String
    /// True when there is no room on the disk; there may be later.
    package let isNoSpace: Bool

    /// A problem that the system has no number for.
    package init(_ what: String, cause: String) { (self.what, self.cause, isNoSpace) = (what, cause, false) }

    /// - Parameter code: as the system reports it.
    package init(_ what: String, code: Int32 = errno) {
      (self.what, cause) = (what, String(cString: strerror(code)))
      isNoSpace = FileSystemSpace.isUsedUp(code)
    }
  }

  /// The file's place.
  package var path: String { "\(folder)/\(name)" }

  /// The file's bytes.
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

  /// Puts the file into its folder, which is made when it is missing, whole or not at all.
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

  /// Takes the file away.
  ///
  /// - Returns: false when it is still there.
  package func remove() -> Bool {
    guard unlink(path) == 0 || errno == ENOENT else { return false }
    // Without its folder there is no file.
    return Self.synchronize(folder: folder) || errno == ENOENT
  }

  /// The names of the entries of a folder, in no order; empty when there is no such folder.
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

  /// Makes a folder for its owner alone, with those above it.
  ///
  /// - Returns: false when it is not there.
  package static func makeFolder(_ path: String) -> Bool {
    let parent = parent(of: path)
    if mkdir(path, 0o700) != 0 {
      guard errno == ENOENT else { return errno == EEXIST }
      // Some file systems accept no new folder even when its parent exists.
      guard parent != path, makeFolder(parent), mkdir(path, 0o700) == 0 || errno == EEXIST else { return false }
    }
    // Some folders cannot be made durable, or may be written and not read.
    return synchronize(folder: parent) || errno == EINVAL || errno == EACCES
  }

  /// The folder that a path is in: `.` for a name alone, `/` for one at the top.
  package static func parent(of path: String) -> String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  /// Makes the names in a folder durable: a file that is new, has moved or is gone there is so after a crash, too.
  ///
  /// - Returns: false when it could not be done; `errno` says why.
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
