import Testing

/// Folders are walls too: within a target they point one way, and no type grows beyond what one can read.
@Suite struct FolderTests {
  /// Lines of one type over all its files.
  static let typeLinesMax = 1_000

  static let targets = LayerTests.table.keys.sorted()

  @Test("no two folders of a target know each other", arguments: targets)
  func foldersPointOneWay(target: String) throws {
    for (pair, why) in try SourceHouse(target).pairs {
      Issue.record("\(target): \(pair): \(why)")
    }
  }

  @Test("no type has more lines than one can read", arguments: targets)
  func typesAreSmall(target: String) throws {
    for (type, lines) in try SourceHouse(target).sizes where lines > Self.typeLinesMax {
      Issue.record("\(target): \(type) has \(lines) lines over all its files")
    }
  }
}
