import Glibc

/// Folders of a benchmark's own.
enum BenchFolder {
  static func make(in parent: String) throws -> String {
    var template = Array((parent + "/hearth-bench-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw BenchServer.Failure(description: "cannot make a folder in \(parent)")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes a folder and all that is in it.
  static func remove(_ folder: String) {
    guard let listing = opendir(folder) else { return }
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name != ".", name != ".." else { continue }
      if entry.pointee.d_type == UInt8(DT_DIR) { remove(folder + "/" + name) } else { unlink(folder + "/" + name) }
    }
    closedir(listing)
    rmdir(folder)
  }
}
