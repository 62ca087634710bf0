import Testing

/// What the client library is made of is written for Linux and Apple systems: it asks for the C library by all its names.
@Suite struct SystemImportTests {
  /// The client's targets and all of ours that they need.
  static var targets: [String] {
    var (found, next) = (Set<String>(), ["HearthClient", "HearthClientLegacy"])
    while let target = next.popLast() {
      guard found.insert(target).inserted else { continue }
      next += (LayerTests.table[target] ?? []).filter { LayerTests.table[$0] != nil }
    }
    return found.sorted()
  }

  static let cLibrary = """
    #if canImport(Glibc)
      import Glibc
    #elseif canImport(Musl)
      import Musl
    #elseif canImport(Darwin)
      import Darwin
    #endif
    """

  @Test(
    "the C library is imported under each system's name, and what only Linux has behind a question", arguments: targets)
  func importsOfTheSystem(target: String) throws {
    for path in Project.files(below: "Sources/" + target, ending: ".swift") {
      let text = try Project.text(path)
      let modules = LayerTests.imports(in: text)
      if modules.contains(where: ["Glibc", "Musl", "Darwin"].contains) {
        #expect(text.contains(Self.cLibrary), "\(path) imports the C library of one system")
        #expect(modules.count { $0 == "Glibc" } == 1, "\(path) imports Glibc twice")
      }
      if modules.contains("FoundationNetworking") {
        #expect(text.contains("#if canImport(FoundationNetworking)\n  import FoundationNetworking\n#endif"), "\(path)")
      }
      #expect(!modules.contains { LayerTests.shims.contains($0) }, "\(path) imports a library that Linux alone has")
    }
  }

  @Test("the client needs these targets of ours and no others")
  func closure() {
    #expect(
      Self.targets == [
        "HearthClient", "HearthClientLegacy", "HearthDigest", "HearthRows", "HearthSync", "HearthTree", "HearthWire",
      ])
  }
}
