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
    "HearthGuide": [],
    "HearthDigest": [],
    "HearthTree": ["HearthDigest"],
    "HearthSystem": ["CMalloc"],
    "HearthMetrics": ["CoreMetrics"],
    "HearthCrypto": ["CArgon2", "CCrypt", "CJWT", "COpenSSL"],
    "HearthSAML": ["CXMLSec", "HearthCrypto", "HearthTree"],
    "HearthOutbound": ["CCurl", "Dispatch"],
    "HearthRules": ["HearthTree", "CRE2"],
    "HearthWire": ["HearthTree"],
    "HearthClient": nio.union([
      "HearthDigest", "HearthRows", "HearthSync", "HearthTree", "HearthWire", "NIOWebSocket", "GRDB", "Dispatch",
      "Foundation",
      "FoundationNetworking",
    ]),
    "HearthClientLegacy": ["HearthClient", "HearthTree", "Dispatch", "Foundation"],
    "HearthSync": ["HearthDigest", "HearthTree"],
    "HearthPlugin": ["HearthTree"],
    "HearthPluginKit": ["HearthPlugin", "HearthTree", "Dispatch"],
    "HearthPluginHost": [
      "CLinux", "HearthCrypto", "HearthOutbound", "HearthPlugin", "HearthSystem", "HearthTree", "Dispatch",
    ],
    "HearthWebAuthn": ["CFido2", "HearthCrypto", "HearthPlugin", "HearthTree"],
    "HearthMigration": ["HearthTree"],
    "HearthTriggers": ["HearthCrypto", "HearthTree"],
    "HearthJournal": ["HearthTree"],
    "HearthCluster": ["HearthJournal"],
    "HearthNode": nio.union(["HearthCluster", "HearthTree", "Dispatch", "Logging"]),
    "HearthBackup": ["CZstd", "HearthCrypto", "HearthEngine", "HearthJournal", "HearthSystem", "HearthTree"],
    "HearthRows": ["GRDB"],
    "HearthSQLite": ["CSQLite", "HearthJournal", "HearthRows", "HearthSystem", "GRDB", "Dispatch"],
    "HearthPostgres": ["CPostgres", "HearthCluster", "HearthCrypto", "HearthJournal", "Dispatch"],
    "HearthEngine": ["HearthRules", "HearthTree"],
    "HearthExposure": ["HearthRules", "HearthTree"],
    // CYaml is libyaml, which Yams brings: its events are read without Yams's own composer, see YAMLReader.
    "HearthWorkbench": ["CYaml", "HearthEngine", "HearthExposure", "HearthRules", "HearthTree"],
    "HearthTrial": ["HearthEngine", "HearthRules", "HearthTree"],
    "HearthDatabase": [
      "CoreMetrics", "HearthEngine", "HearthJournal", "HearthMetrics", "HearthRules", "HearthTree", "HearthTrial",
      "Dispatch",
    ],
    "HearthOutbox": [
      "HearthDatabase", "HearthEngine", "HearthJournal", "HearthOutbound", "HearthPlugin", "HearthTree",
      "HearthTriggers",
      "Dispatch", "Logging",
    ],
    "HearthAccounts": [
      "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthPlugin", "HearthRules", "HearthSAML",
      "HearthSystem", "HearthTree",
      "Dispatch",
    ],
    "HearthReplicas": nio.union([
      "HearthCluster", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthNode", "HearthPostgres", "HearthRules",
      "HearthTree", "Dispatch", "Logging",
    ]),
    "HearthIdentity": ["HearthAccounts", "HearthCrypto", "HearthEngine", "HearthPlugin", "HearthSAML", "HearthTree"],
    "HearthTransport": nio.union([
      "CoreMetrics", "HearthDigest", "HearthMetrics", "HearthSystem", "HearthTree", "Dispatch",
    ]),
    "HearthGateway": nio.union([
      "CoreMetrics", "HearthAccounts", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal",
      "HearthMetrics", "HearthOutbox", "HearthRules",
      "HearthSystem", "HearthTransport", "HearthTree", "HearthTrial", "HearthTriggers", "HearthWire", "Logging",
      "Dispatch",
    ]),
    "HearthServer": nio.union([
      "CoreMetrics", "HearthAccounts", "HearthBackup", "HearthCluster", "HearthConsole", "HearthCrypto",
      "HearthDatabase",
      "HearthEngine",
      "HearthGateway", "HearthIdentity", "HearthJournal", "HearthMetrics", "HearthOutbound", "HearthOutbox",
      "HearthPlugin",
      "HearthNode", "HearthPluginHost", "HearthPostgres", "HearthReplicas", "HearthRules",
      "HearthSQLite", "HearthSystem", "HearthTransport", "HearthTree", "HearthTrial", "HearthTriggers", "HearthWire",
      "HearthWorkbench",
      "Logging", "Dispatch",
    ]),
    "HearthConsole": ["CZlib", "HearthCrypto", "HearthTree"],
    "HearthDoctor": ["HearthTree"],
    "HearthProgram": ["CLinux", "HearthSystem", "HearthTree"],
    "HearthRulesTesting": [
      "HearthEngine", "HearthProgram", "HearthRules", "HearthTree", "HearthWorkbench", "Testing",
    ],
    "HearthRulesCommands": [
      "HearthProgram", "HearthRules", "HearthSystem", "HearthTree", "HearthWorkbench", "ArgumentParser",
    ],
    "hearth-rules": ["HearthRulesCommands", "ArgumentParser"],
    // Of the plugins only the list that the build writes knows anything.
    "HearthBuiltIns": ["HearthPlugin"],
    "BuiltInList": ["Foundation", "PackagePlugin"],
    "ConsolePage": ["Foundation", "PackagePlugin"],
    "hearth": nio.union([
      "CLinux", "HearthAccounts", "HearthBackup", "HearthBuiltIns", "HearthCrypto", "HearthDatabase", "HearthDoctor",
      "HearthEngine",
      "HearthExposure",
      "HearthGateway",
      "HearthIdentity",
      "HearthJournal", "HearthMigration", "HearthNode", "HearthOutbound", "HearthPlugin", "HearthPluginHost",
      "HearthProgram",
      "HearthRules",
      "HearthRulesCommands",
      "HearthSQLite",
      "HearthServer", "HearthSystem", "HearthTransport", "HearthTree", "HearthTriggers", "HearthWire",
      "HearthWorkbench",
      "ArgumentParser", "Logging", "Dispatch", "UnixSignals",
    ]),
    "hearth-bench": [
      "CLinux", "HearthClient", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthPlugin",
      "HearthPluginHost", "HearthProgram",
      "HearthRules", "HearthSQLite", "HearthServer", "HearthSystem",
      "HearthTransport", "HearthTree", "HearthTrial", "ArgumentParser", "Dispatch", "Foundation", "Histogram",
      "NIOCore",
      "NIOHTTP1", "NIOPosix",
    ],
    "HearthSyncScenarios": ["HearthSync", "HearthTree"],
    "sync-scenarios": ["HearthProgram", "HearthSyncScenarios", "HearthTree", "ArgumentParser"],
    "HearthTestKit": [
      "HearthAccounts", "HearthCrypto", "HearthDatabase", "HearthEngine", "HearthJournal", "HearthRules", "HearthTree",
      "HearthWire", "RandomTestKit", "Dispatch",
    ],
  ]

  static let shims: Set = [
    "CArgon2", "CCrypt", "CCurl", "CFido2", "CJWT", "CLinux", "CMalloc", "COpenSSL", "CPostgres", "CRE2", "CSQLite",
    "CXMLSec", "CZlib", "CZstd",
  ]

  /// No part of the server: a command that SwiftPM runs in an app's package.
  static let packageCommand = "Plugins/TestRules/"

  @Test("the package command imports what SwiftPM gives it and nothing of ours")
  func packageCommandStandsAlone() throws {
    for path in Project.files(below: Self.packageCommand, ending: ".swift") {
      #expect(Set(Self.imports(in: try Project.text(path))).isSubset(of: ["Foundation", "PackagePlugin"]))
    }
  }

  @Test("a plugin imports the contract and the libraries below it, nothing of the server")
  func pluginsFollowTheContract() throws {
    let allowed = Self.common.union(["HearthCrypto", "HearthOutbound", "HearthPlugin", "HearthTree", "HearthWebAuthn"])
    for path in Project.files(below: "Plugins", ending: ".swift") where !path.hasPrefix(Self.packageCommand) {
      for module in Self.imports(in: try Project.text(path)) {
        #expect(allowed.contains(module), "\(path) imports \(module), which a plugin may not")
      }
    }
  }

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
