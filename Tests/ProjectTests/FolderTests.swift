import Testing

/// Folders are walls too: within a target they point one way, and no type grows beyond what one can read.
@Suite struct FolderTests {
  /// Pairs of folders that still know each other.
  static let openPairs: [String: Set<String>] = [
    "HearthAccounts": ["Audit <-> Store", "Emulator <-> SignIn"]
  ]

  /// Types that are still too large.
  static let openTypes: [String: Set<String>] = ["HearthAccounts": ["Accounts"], "HearthEngine": ["Engine"]]

  /// Lines of one type over all its files.
  static let typeLinesMax = 1_000

  static let targets = LayerTests.table.keys.sorted()

  @Test("no two folders of a target know each other", arguments: targets)
  func foldersPointOneWay(target: String) throws {
    let pairs = try SourceHouse(target).pairs
    let open = Self.openPairs[target] ?? []
    for (pair, why) in pairs where !open.contains(pair) {
      Issue.record("\(target): \(pair): \(why)")
    }
  }

  @Test("no type has more lines than one can read", arguments: targets)
  func typesAreSmall(target: String) throws {
    let open = Self.openTypes[target] ?? []
    for (type, lines) in try SourceHouse(target).sizes where lines > Self.typeLinesMax && !open.contains(type) {
      Issue.record("\(target): \(type) has \(lines) lines over all its files")
    }
  }
}
