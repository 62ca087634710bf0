import Glibc
import HearthSystem

/// Folders of the file system.
package enum Folder {
  /// Returns the names of the entries of a folder, sorted; empty when it does not exist.
  package static func names(in path: String) -> [String] { ((try? AtomicFile.names(in: path)) ?? []).sorted() }

  /// Creates a folder that only its owner can access.
  ///
  /// - Parameters:
  /// - base: The parent folder; nil for the system's temporary folder.
  /// - name: The beginning of the folder's name.
  /// - Throws: ``TextFile/Failure`` when it cannot be created.
  package static func makeTemporary(in base: String? = nil, named name: String = "hearth") throws -> String {
    let base = base ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TextFile.Failure("create a folder in", base) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes a folder that this program created, with its contents. Links are removed, not followed.
  package static func remove(_ path: String) {
    for name in names(in: path) {
      var status = stat()
      let entry = path + "/" + name
      if lstat(entry, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { remove(entry) } else { unlink(entry) }
    }
    rmdir(path)
  }
}
