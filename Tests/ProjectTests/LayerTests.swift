import Foundation
import Testing

/// Who may import whom. SwiftPM does not check this: it lets a target import what it only reaches transitively.
@Suite struct LayerTests {
  /// Modules that any target may import: the standard library's own and the C library.
  static let common: Set = ["Synchronization", "Glibc", "Musl", "Darwin"]

  static let nio: Set = [
    "NIOCore", "NIOPosix", "NIOHTTP1", "NIOSSL", "NIOFoundationEssentialsCompat", "NIOConcurrencyHelpers",
  ]

  /// The table: each target and what it may import beside ``common``.
  static let table: [String: Set<String>] = [
    "HearthTree": [],
    "HearthCrypto": ["CJWT", "COpenSSL"],
    "HearthRules": ["HearthTree", "CRE2"],
    "HearthWire": ["HearthTree"],
    "HearthJournal": ["HearthTree", "GRDB", "Dispatch"],
    "HearthEngine": ["HearthRules", "HearthJournal", "HearthTree", "Dispatch"],
    "HearthServer": nio.union([
      "HearthCrypto", "HearthEngine", "HearthJournal", "HearthRules", "HearthTree", "HearthWire", "Logging", "Dispatch",
    ]),
    "hearth": nio.union([
      "HearthCrypto", "HearthEngine", "HearthJournal", "HearthRules", "HearthServer", "HearthTree", "HearthWire",
      "ArgumentParser", "Histogram", "Logging", "ServiceLifecycle", "UnixSignals",
    ]),
    "HearthTestKit": ["HearthEngine", "HearthJournal", "HearthRules", "HearthTree", "HearthWire", "Dispatch"],
  ]

  static let shims: Set = ["CJWT", "COpenSSL", "CRE2"]

  @Test("every folder in Sources is a row of the table or a shim")
  func everyTargetHasARow() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Project.root.appending(path: "Sources").path)
    #expect(Set(folders) == Set(Self.table.keys).union(Self.shims))
  }

  @Test("a target imports only what its row names", arguments: table.keys.sorted())
  func importsFollowTheTable(target: String) throws {
    let allowed = try #require(Self.table[target]).union(Self.common)
    for path in Project.files(below: "Sources/" + target, ending: ".swift") {
      for module in Self.imports(in: try Project.text(path)) {
        #expect(allowed.contains(module), "\(path) imports \(module), which the table does not allow")
      }
    }
  }

  @Test("libjwt is called from one file only")
  func libjwtIsConfined() throws {
    let callers = try Project.files(below: "Sources", ending: ".swift").filter { path in
      Self.imports(in: try Project.text(path)).contains("CJWT")
    }
    #expect(callers.count == 1, "\(callers)")
  }

  static func imports(in source: String) -> [String] {
    source.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard let i = words.firstIndex(of: "import"), i + 1 < words.count else { return nil }
      guard
        words[..<i].allSatisfy({
          $0.hasPrefix("@") || ["public", "internal", "private", "package", "fileprivate"].contains($0)
        })
      else { return nil }
      let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
      let name = kinds.contains(words[i + 1]) && i + 2 < words.count ? words[i + 2] : words[i + 1]
      return name.split(separator: ".").first.map(String.init)
    }
  }
}
