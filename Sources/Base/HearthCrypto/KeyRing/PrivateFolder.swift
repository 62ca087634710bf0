import Glibc

/// A directory with small files that only their owner may read.
struct PrivateFolder: Sendable {
  let path: String
  private let owner: (user: uid_t, group: gid_t)

  /// The maximum size of a file; larger files were not written by the server.
  private static let fileBytesMax = 65_536

  /// Opens the directory; creates it (not its parents) with mode 0700 when it is missing.
  init(path: String, createsMissing: Bool) throws(KeyStoreError) {
    self.path = path
    if createsMissing {
      if mkdir(path, 0o700) == 0 {
        try Self.sync(folder: path + "/..")
      } else if errno != EEXIST {
        throw Self.failure(path, "create")
      }
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw errno == ENOENT ? .missing(path: path) : Self.failure(path, "inspect it")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .notAFile(path: path, wanted: "a directory") }
    try Self.checkOwner(status, path: path)
    owner = (status.st_uid, status.st_gid)
    // With write access to the folder, another user could replace its files.
    guard status.st_mode & 0o022 == 0 else {
      throw .readableByOthers(path: path, mode: status.st_mode & 0o777, wanted: "700")
    }
  }

  /// Returns the value in the file `name`; nil when there is no such file.
  ///
  /// - Parameter parse: Returns the value in a text; nil when the text is damaged.
  func existing<Value>(_ name: String, parse: (String) -> Value?) throws(KeyStoreError) -> Value? {
    let file = path + "/" + name
    guard let text = try read(file) else { return nil }
    guard let value = parse(text) else { throw .damaged(path: file) }
    return value
  }

  /// Returns the value in the file `name`, which is created when it is missing.
  ///
  /// - Parameters:
  /// - parse: Returns the value in a text; nil when the text is damaged.
  /// - create: Returns the text of a new file.
  func value<Value>(
    _ name: String, createsMissing: Bool, parse: (String) -> Value?, create: () throws(RandomnessError) -> String
  ) throws(KeyStoreError) -> Value {
    if let value = try existing(name, parse: parse) { return value }
    let file = path + "/" + name
    guard createsMissing else { throw .missing(path: file) }
    let fresh: String
    do {
      fresh = try create()
    } catch {
      throw .noRandomness(path: file)
    }
    try write(fresh, to: file, replacing: false)
    // Reads the file back, because another process may have created it first.
    guard let value = try existing(name, parse: parse) else { throw .damaged(path: file) }
    return value
  }

  /// Runs `body` under a lock that excludes other processes from this function for the same directory. Blocks until the
  /// lock is free.
  func exclusively<Value>(_ body: () throws(KeyStoreError) -> Value) throws(KeyStoreError) -> Value {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(path, "open") }
    defer { close(descriptor) }  // which unlocks it
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Self.failure(path, "lock") }
    }
    return try body()
  }

  func replace(_ name: String, with text: String) throws(KeyStoreError) {
    try write(text, to: path + "/" + name, replacing: true)
  }

  // MARK: Files

  /// Returns the text of a file; nil when there is none. Refuses links, other owners' files and files that others can
  /// read.
  private func read(_ file: String) throws(KeyStoreError) -> String? {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw .notAFile(path: file, wanted: "a regular file")
      default: throw Self.failure(file, "open")
      }
    }
    defer { close(descriptor) }
    // Checks the open file, because the name could refer to another file by now.
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure(file, "inspect it") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: file, wanted: "a regular file") }
    try Self.checkOwner(status, path: file)
    guard status.st_mode & 0o077 == 0 else {
      throw .readableByOthers(path: file, mode: status.st_mode & 0o777, wanted: "600")
    }
    var bytes = [UInt8](repeating: 0, count: Self.fileBytesMax + 1)
    var count = 0
    while count < bytes.count {
      let space = bytes.count - count
      let length = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, space) }  // not empty
      if length == 0 { break }
      if length < 0 {
        if errno == EINTR { continue }
        throw Self.failure(file, "read")
      }
      count += length
    }
    guard count <= Self.fileBytesMax, let text = String(validating: bytes[..<count], as: UTF8.self) else {
      throw .damaged(path: file)
    }
    return text
  }

  /// Writes a temporary file, syncs it, then renames it, so that the file is created atomically.
  ///
  /// - Parameter replacing: False to keep a file that another process has created meanwhile.
  private func write(_ text: String, to file: String, replacing: Bool) throws(KeyStoreError) {
    // A temporary file with a unique name, created exclusively with mode 0600.
    let temporary = "\(file).new.\(String(UInt64.random(in: .min ... .max), radix: 36))"
    let descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure(file, "create a temporary file beside it") }
    defer { unlink(temporary) }
    do {
      defer { close(descriptor) }
      // Sets the mode again, because the mode at creation is subject to the umask and to defaults of the file system.
      guard fchmod(descriptor, 0o600) == 0 else { throw Self.failure(temporary, "restrict") }
      // A file that root creates in another user's folder is given to that user, whose server must be able to open it.
      if geteuid() == 0, owner.user != 0 {
        guard fchown(descriptor, owner.user, owner.group) == 0 else { throw Self.failure(temporary, "give it away") }
      }
      try Self.writeAll(Array(text.utf8), to: descriptor, path: temporary)
      guard fsync(descriptor) == 0 else { throw Self.failure(temporary, "sync") }
    }
    if replacing {
      guard rename(temporary, file) == 0 else { throw Self.failure(file, "replace") }
    } else {
      // Creates the name by a hard link, which, unlike a rename, never replaces a file.
      guard link(temporary, file) == 0 || errno == EEXIST else { throw Self.failure(file, "create") }
    }
    try Self.sync(folder: path)
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: CInt, path: String) throws(KeyStoreError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let length = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if length < 0 {
        if errno == EINTR { continue }
        throw failure(path, "write")
      }
      rest = rest.dropFirst(length)
    }
  }

  /// Makes new names in a directory durable.
  private static func sync(folder: String) throws(KeyStoreError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(folder, "open") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(folder, "sync") }
  }

  /// Throws an error when the owner is not this process's user; root may use files of any owner.
  private static func checkOwner(_ status: stat, path: String) throws(KeyStoreError) {
    guard status.st_uid == geteuid() || geteuid() == 0 else { throw .foreignOwner(path: path) }
  }

  private static func failure(_ path: String, _ action: String) -> KeyStoreError {
    .inputOutput(path: path, action: action, reason: String(cString: strerror(errno)))
  }
}
