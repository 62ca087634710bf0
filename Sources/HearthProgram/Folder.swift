import Glibc

/// Folders of the file system.
package enum Folder {
  /// The names of what is in a folder, in order of name; none when it is not there.
  package static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// A new folder for its owner alone, where the system keeps what is temporary.
  ///
  /// - Throws: ``TextFile/Failure`` when there is no room for it.
  package static func makeTemporary() throws -> String {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/hearth-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TextFile.Failure("make a folder in", base) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Takes a folder of ours away with all that is in it. Links are removed, not followed.
  package static func remove(_ path: String) {
    for name in names(in: path) {
      var status = stat()
      let entry = path + "/" + name
      if lstat(entry, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { remove(entry) } else { unlink(entry) }
    }
    rmdir(path)
  }
}
