import Glibc
import HearthProgram

/// The search for test files.
enum TestFileSearch {
  /// The maximum depth of folders in the search; links to folders are not followed.
  private static let depthMax = 32

  /// Returns the file at a path, with any name; for a folder, the files whose names are those of test files, sorted.
  /// nil when the path does not exist.
  static func files(at path: String) -> [String]? {
    guard let kind = kind(of: path, followsLinks: true) else { return nil }
    guard kind == S_IFDIR else { return [path] }
    var found: [String] = []
    search(path == "/" ? "" : path.hasSuffix("/") ? String(path.dropLast()) : path, depth: 0, &found)
    return found
  }

  private static func search(_ folder: String, depth: Int, _ found: inout [String]) {
    guard depth < depthMax else { return }
    for name in Folder.names(in: folder.isEmpty ? "/" : folder) where !name.hasPrefix(".") && name != "node_modules" {
      let path = folder == "." ? name : folder + "/" + name
      switch kind(of: path, followsLinks: false) {
      case S_IFDIR?: search(path, depth: depth + 1, &found)
      case S_IFREG?, S_IFLNK?: if isTest(name) { found.append(path) }
      default: break
      }
    }
  }

  private static func isTest(_ name: String) -> Bool {
    for ending in [".json", ".yaml", ".yml"] where name.hasSuffix(ending) {
      let stem = name.dropLast(ending.count)
      return stem == "test" || stem == "tests" || stem.hasSuffix(".test") || stem.hasSuffix(".tests")
    }
    return false
  }

  private static func kind(of path: String, followsLinks: Bool) -> mode_t? {
    var status = stat()
    guard followsLinks ? stat(path, &status) == 0 : lstat(path, &status) == 0 else { return nil }
    return status.st_mode & S_IFMT
  }
}
