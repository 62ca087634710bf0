import Foundation
import Testing

/// Checks imports against the manifest's table of targets, because SwiftPM lets a target import indirect dependencies.
@Suite struct LayerTests {
  /// Modules that any target may import: the standard library's own and the C library.
  static let common: Set = ["Synchronization", "Glibc", "Musl", "Darwin"]

  /// Other modules of the toolchain, with the targets in `Sources` that may import them. A target without a row for
  /// `Dispatch` has no threads of its own.
  static let toolchain: [String: Set<String>] = [
    // Apple's systems only.
    "AuthenticationServices": ["HearthClient"],
    "NIOSSL": ["HearthClient"],
    "Network": ["HearthClient"],
    "Security": ["HearthClient"],
    "UIKit": ["HearthClient"],
    "Dispatch": [
      "HearthAccounts", "HearthClient", "HearthClientLegacy", "HearthClusterNode", "HearthDatabase", "HearthGateway",
      "HearthOutbound", "HearthOutbox", "HearthPluginHost", "HearthPluginKit", "HearthPostgres", "HearthSQLite",
      "HearthServer", "HearthSystem", "HearthTransport", "hearth",
    ],
    "Foundation": [
      "BuiltInList", "ConsolePage", "FirebaseAuth", "FirebaseCore", "FirebaseDatabase", "HearthClient",
      "HearthClientLegacy",
    ],
    "FoundationNetworking": ["HearthClient"],
    "PackagePlugin": ["BuiltInList", "ConsolePage"],
    "Testing": ["HearthRulesTesting"],
  ]

  /// The modules of products whose modules have other names than the product. CYaml is libyaml, a part of Yams: its
  /// events are read without Yams's own composer.
  static let modules: [String: Set<String>] = [
    "NIOCore": ["NIOCore", "NIOConcurrencyHelpers", "NIOFoundationEssentialsCompat"],
    "Yams": ["CYaml"],
  ]

  /// The folder of a command that SwiftPM runs in an app's package, which is not a part of the server.
  static let packageCommand = "Plugins/TestRules/"

  static let targets = Manifest.shared.targets.filter { $0.type != "system" }

  @Test("the package command imports only modules of SwiftPM and none of this package")
  func packageCommandStandsAlone() throws {
    for path in Project.files(below: Self.packageCommand, ending: ".swift") {
      #expect(Set(Self.imports(in: try Project.text(path))).isSubset(of: ["Foundation", "PackagePlugin"]))
    }
  }

  @Test("each folder in a group of Sources is a target")
  func everyFolderIsATarget() throws {
    let manager = FileManager.default
    let groups = try manager.contentsOfDirectory(atPath: Project.root.appending(path: "Sources").path)
    // The guide is text.
    for group in groups where group != "Guide" {
      let paths = Manifest.shared.targets.map(\.path)
      guard !paths.contains("Sources/" + group) else { continue }
      for folder in try manager.contentsOfDirectory(atPath: Project.root.appending(path: "Sources/" + group).path) {
        #expect(paths.contains("Sources/\(group)/\(folder)"))
      }
    }
  }

  @Test("targets depend on their own group and on groups above it in the manifest")
  func groupsPointOneWay() {
    var order: [String] = []
    for target in Manifest.shared.targets where !order.contains(target.group) { order.append(target.group) }
    for target in Manifest.shared.targets {
      for name in target.targets {
        guard let other = Manifest.shared.targets.first(where: { $0.name == name }),
          let there = order.firstIndex(of: other.group), let here = order.firstIndex(of: target.group)
        else {
          Issue.record("\(target.name) depends on \(name), which is no target")
          continue
        }
        #expect(there <= here, "\(target.name) in \(target.group) depends on \(name) in \(other.group)")
      }
    }
  }

  @Test("a target imports what its row declares, and declares what it imports", arguments: targets)
  func importsAreDeclared(target: Manifest.Target) throws {
    guard !target.path.hasPrefix(Self.packageCommand.dropLast()) else { return }
    let products = target.products.reduce(into: Set<String>()) { $0.formUnion(Self.modules[$1] ?? [$1]) }
    var allowed = products.union(target.targets).union(Self.common)
    for (module, names) in Self.toolchain where names.contains(target.name) || !target.path.hasPrefix("Sources/") {
      allowed.insert(module)
    }
    var imported: Set<String> = []
    for path in target.files {
      for module in Self.imports(in: try Project.text(path)) {
        #expect(allowed.contains(module), "\(path) imports \(module), which the manifest does not declare")
        imported.insert(module)
      }
    }
    // Each plugin may use as many of a common set of targets as it needs; sources must not name plugins, which the
    // build lists.
    guard target.group != "Plugins" else { return }
    let builtIn = Set(Manifest.shared.targets.lazy.filter { $0.group == "Plugins" }.map(\.name))
    for name in target.targets where !builtIn.contains(name) {
      #expect(imported.contains(name) || target.files.isEmpty, "\(target.name) declares \(name) and never imports it")
    }
    for name in target.products {
      #expect(!imported.isDisjoint(with: Self.modules[name] ?? [name]), "\(target.name) never imports \(name)")
    }
  }

  @Test("libjwt is called from one file only")
  func libjwtIsConfined() throws {
    let callers = try Project.files(below: "Sources", ending: ".swift").filter { path in
      Self.imports(in: try Project.text(path)).contains("CJWT")
    }
    #expect(callers.count == 1, "\(callers)")
  }

  private static let modifiers: Set = ["public", "internal", "private", "package", "fileprivate"]

  static func imports(in source: String) -> [String] {
    source.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").map(String.init)
      guard let i = words.firstIndex(of: "import"), i + 1 < words.count else { return nil }
      guard
        words[..<i].allSatisfy({ word in
          modifiers.contains(word) || word.hasPrefix("@") && !word.contains("\"")
        })
      else { return nil }
      let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
      let name = kinds.contains(words[i + 1]) && i + 2 < words.count ? words[i + 2] : words[i + 1]
      return name.split(separator: ".").first.map(String.init)
    }
  }
}
