import Foundation
import Testing

@Suite struct TopLevelTests {
  static let allowed: Set = [
    "Deploy", "LICENSE", "Makefile", "Package.swift", "Plugins", "README.md", "Rules", "Sources", "Tests",
  ]

  @Test("only known folders and files are under version control at the top level")
  func topLevel() throws {
    let (code, output) = try Project.run(["git", "-C", Project.root.path, "ls-files"])
    // A source archive without the Git history cannot be checked.
    guard code == 0 else { return }
    let entries = Set(output.split(separator: "\n").compactMap { $0.split(separator: "/").first.map(String.init) })
    #expect(entries.filter { !$0.hasPrefix(".") }.subtracting(Self.allowed).isEmpty)
  }
}
