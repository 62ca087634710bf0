import Glibc

/// A small file that is read and replaced as a whole: whatever happens meanwhile, it is the former one or the new one.
///
/// Blocks: not for event loops.
struct WholeFile {
  let folder: String
  let name: String

  /// What is wrong with the file, in words that follow its subject, as in "the settings cannot be read".
  struct Problem: Error {
    let what: String
    let cause: String
    /// There is no room on the disk; there may be later.
    let isNoSpace: Bool

    init(_ what: String, cause: String) { (self.what, self.cause, isNoSpace) = (what, cause, false) }

    /// - Parameter code: as the system reports it.
    init(_ what: String, code: Int32 = errno) {
      (self.what, cause) = (what, String(cString: strerror(code)))
      isNoSpace = [ENOSPC, EDQUOT, EFBIG].contains(code)
    }
  }

  var path: String { "\(folder)/\(name)" }

  /// - Returns: nil when there is no such file.
  func read(bytesMax: Int) throws(Problem) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw Problem("cannot be read") }
      return nil
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count >= 0, bytes.count <= bytesMax else { throw Problem("cannot be read") }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Puts the file into its folder, which is made when it is missing, whole or not at all.
  func write(_ text: [UInt8]) throws(Problem) {
    guard Self.makeFolder(folder) else { throw Problem("cannot be written") }
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Problem("cannot be written") }
    let isWritten = Self.write(text, descriptor) && fsync(descriptor) == 0
    let code = errno
    guard close(descriptor) == 0, isWritten, rename(temporary, path) == 0, Self.sync(folder) else {
      let problem = Problem("cannot be written", code: isWritten ? errno : code)
      unlink(temporary)
      throw problem
    }
  }

  /// - Returns: false when it is still there.
  func remove() -> Bool {
    guard unlink(path) == 0 || errno == ENOENT else { return false }
    return Self.sync(folder)
  }

  /// The files of a folder, in no order; none when there is no such folder.
  static func names(in folder: String) throws(Problem) -> [String] {
    guard let directory = opendir(folder) else {
      guard errno == ENOENT else { throw Problem("cannot be read") }
      return []
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names
  }

  private static func makeFolder(_ path: String) -> Bool {
    if mkdir(path, 0o700) == 0 { return sync(parent(of: path)) }
    guard errno == ENOENT else { return errno == EEXIST }
    let parent = parent(of: path)
    return parent != path && makeFolder(parent) && makeFolder(path)
  }

  private static func parent(of path: String) -> String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  private static func write(_ text: [UInt8], _ descriptor: Int32) -> Bool {
    var rest = text[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// A new name in a folder lasts when the folder is written.
  private static func sync(_ folder: String) -> Bool {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}
