import Glibc
import HearthCrypto
import HearthSystem

/// The files of a plugin: read, hashed and copied. Blocks for files.
///
/// All files that an interpreter could load from the folder are among them. Python's compiled files, which it may run
/// instead of the reviewed sources, are left out of a package that is read for installation, and so are never copied.
/// In an installed plugin they are files like others: an extra one breaks the checksum.
struct PluginFiles {
  /// The kind of a plugin's folder.
  enum Kind {
    /// A developer's folder, in which a plugin is written and tested.
    case package
    /// A plugin in the data folder.
    case installed
  }

  /// The folder in which Python puts compiled files.
  private static let cacheName = "__pycache__"

  /// A file of a plugin.
  struct Entry {
    /// The path below the folder: `hearth_plugin/__init__.py`.
    var path: String
    /// The file that was read.
    var source: String
    var isProgram: Bool
    var sizeBytes: Int
    var digest: Digest
  }

  /// The maximum number of files of one plugin.
  static let countMax = 10_000
  /// The maximum size of all its files, in bytes.
  static let bytesMax = 256 << 20
  /// The maximum depth of nested folders.
  private static let depthMax = 16
  /// The package that plugins in Python are written with, in `Plugins/Python` of a checkout: in the folder of a plugin,
  /// and beside that folder.
  private static let (packageName, sharedPackage) = ("hearth_plugin", "../Python/hearth_plugin")

  let folder: String
  /// The files in order of path.
  let entries: [Entry]

  /// Reads every file below the folder.
  ///
  /// - Parameter isPython: the plugin is a program in Python. A folder of its own that lacks `hearth_plugin` then gets
  ///   the files of `../Python/hearth_plugin`, where these are.
  /// - Throws: ``PluginProblem`` for what is neither file nor folder, a link among them, and for what is too much.
  init(_ folder: String, _ kind: Kind, isPython: Bool = false) throws(PluginProblem) {
    var (entries, bytes): ([Entry], Int) = ([], 0)
    var status = stat()
    // The target of a link could be exchanged.
    if kind == .installed, lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      throw PluginProblem("\(folder) is a symbolic link; a plugin cannot contain links")
    }
    try Self.read(folder, "", kind, depth: 0, &entries, &bytes)
    let (name, shared) = (Self.packageName, "\(folder)/\(Self.sharedPackage)")
    if isPython, kind == .package, access("\(folder)/\(name)", F_OK) != 0, access(shared, F_OK) == 0 {
      try Self.read(shared, "\(name)/", kind, depth: 1, &entries, &bytes)
    }
    self.folder = folder
    self.entries = entries.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// The SHA-256 hash over the files' names, contents, and executable bits. Other attributes do not count.
  var digest: Digest {
    var text: [UInt8] = []
    for entry in entries {
      text += Array("\(entry.digest.hex) \(entry.isProgram ? "x" : "-") \(entry.path.utf8.count) \(entry.path)\n".utf8)
    }
    return Digest(sha256: text)
  }

  /// A compiled file of Python's that was not installed; nil when there is none.
  var strayCache: String? {
    entries.first { $0.path.split(separator: "/").dropLast().contains { $0 == Self.cacheName } }?.path
  }

  private static func read(
    _ folder: String, _ prefix: String, _ kind: Kind, depth: Int, _ entries: inout [Entry], _ bytes: inout Int
  ) throws(PluginProblem) {
    guard depth <= depthMax else { throw PluginProblem("\(folder) has too many levels of folders") }
    let names: [String]
    do throws(AtomicFile.Problem) { names = try AtomicFile.names(in: folder) } catch {
      throw PluginProblem("\(folder) \(error.what): \(error.cause)")
    }
    for name in names {
      let path = "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { throw PluginProblem("\(path): \(String(cString: strerror(errno)))") }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        if kind == .package, name == cacheName { continue }
        try read(path, "\(prefix)\(name)/", kind, depth: depth + 1, &entries, &bytes)
      case S_IFREG:
        bytes += max(0, Int(clamping: status.st_size))
        guard bytes <= bytesMax, entries.count < countMax else {
          throw PluginProblem("a plugin can have at most \(countMax) files and \(bytesMax >> 20) MiB")
        }
        let content = try content(of: path)
        entries.append(
          Entry(
            path: prefix + name, source: path, isProgram: status.st_mode & 0o111 != 0, sizeBytes: content.count,
            digest: Digest(sha256: content)))
      default: throw PluginProblem("\(path) is neither a file nor a folder; a plugin cannot contain links")
      }
    }
  }

  private static func content(of path: String) throws(PluginProblem) -> [UInt8] {
    do throws(AtomicFile.Problem) {
      guard let content = try AtomicFile(path: path).read(bytesMax: bytesMax) else {
        throw AtomicFile.Problem("has disappeared", cause: "it was removed during the copy")
      }
      return content
    } catch {
      throw PluginProblem("\(path) \(error.what): \(error.cause)")
    }
  }

  /// Copies all files into a new folder, which every user may read and none may write.
  func copy(to target: String) throws(PluginProblem) {
    guard AtomicFile.makeFolder(target) else { throw Self.problem(target) }
    var folders: Set = [target]
    for entry in entries {
      let path = "\(target)/\(entry.path)"
      let content = try Self.content(of: entry.source)
      guard Digest(sha256: content) == entry.digest else {
        throw PluginProblem("\(entry.source) was changed during the copy")
      }
      let parent = AtomicFile.parent(of: path)
      guard AtomicFile.makeFolder(parent) else { throw Self.problem(parent) }
      var above = parent
      while above != target, folders.insert(above).inserted { above = AtomicFile.parent(of: above) }
      do throws(AtomicFile.Problem) { try AtomicFile(path: path).write(content) } catch {
        throw PluginProblem("\(path) \(error.what): \(error.cause)")
      }
      guard chmod(path, entry.isProgram ? 0o555 : 0o444) == 0 else { throw Self.problem(path) }
    }
    for made in folders { guard chmod(made, 0o555) == 0 else { throw Self.problem(made) } }
  }

  /// Removes a folder with its contents; links are removed, not their targets.
  static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      chmod(path, 0o700)
      for name in (try? AtomicFile.names(in: path)) ?? [] { remove("\(path)/\(name)") }
      rmdir(path)
    } else {
      unlink(path)
    }
  }

  private static func problem(_ path: String) -> PluginProblem {
    PluginProblem("cannot create \(path): \(String(cString: strerror(errno)))")
  }
}
