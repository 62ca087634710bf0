import Testing

/// Checks that folders within a target depend on each other in one direction, and that no type and no file grows too
/// large to read.
@Suite struct FolderTests {
  /// The most lines of one type over all its files.
  static let typeLinesMax = 1_000
  /// The most lines of one file. `Package.swift` is a single table, and is not checked.
  static let fileLinesMax = 400

  static let targets = Manifest.sources

  @Test("no two folders of a target depend on each other", arguments: targets)
  func foldersPointOneWay(target: Manifest.Target) throws {
    for (pair, why) in try SourceFolders(target).pairs {
      Issue.record("\(target.name): \(pair): \(why)")
    }
  }

  @Test("no type exceeds its maximum of lines", arguments: targets)
  func typesAreSmall(target: Manifest.Target) throws {
    for (type, lines) in try SourceFolders(target).sizes where lines > Self.typeLinesMax {
      Issue.record("\(target.name): \(type) has \(lines) lines over all its files")
    }
  }

  @Test("no file has more lines than the limit", arguments: ["Plugins", "Sources", "Tests"])
  func filesAreShort(folder: String) throws {
    for ending in [".swift", ".ts"] {
      for path in Project.files(below: folder, ending: ending) {
        let count = try Project.text(path).utf8.count { $0 == UInt8(ascii: "\n") }
        if count > Self.fileLinesMax { Issue.record("\(path) has \(count) lines: divide it by subject") }
      }
    }
  }
}
