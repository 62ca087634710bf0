import Testing

/// Checks that the client library's sources, which are for Linux and Apple systems, import the C library under each of
/// its names.
@Suite struct SystemImportTests {
  /// The client's targets and all targets of this package that they need.
  static let targets: [Manifest.Target] = {
    var (found, next) = (Set<String>(), ["HearthClient", "HearthClientLegacy"])
    while let name = next.popLast() {
      guard found.insert(name).inserted else { continue }
      next += Manifest.shared.targets.first { $0.name == name }?.targets ?? []
    }
    return Manifest.shared.targets.filter { found.contains($0.name) }
  }()

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
    "the C library is imported under each system's name, and Linux-only calls are conditional", arguments: targets)
  func importsOfTheSystem(target: Manifest.Target) throws {
    for path in target.files {
      let text = try Project.text(path)
      let modules = LayerTests.imports(in: text)
      if modules.contains(where: ["Glibc", "Musl", "Darwin"].contains) {
        #expect(text.contains(Self.cLibrary), "\(path) imports the C library of one system")
        #expect(modules.count { $0 == "Glibc" } == 1, "\(path) imports Glibc twice")
      }
      if modules.contains("FoundationNetworking") {
        #expect(text.contains("#if canImport(FoundationNetworking)\n  import FoundationNetworking\n#endif"), "\(path)")
      }
    }
  }

  /// What Apple's systems lack in the lowest versions that the manifest names. See
  /// https://developer.apple.com/documentation/swift for the versions.
  static let newer = [
    "import Synchronization", "UInt128", "ContinuousClock", "SuspendingClock", "Duration", "URL(filePath:",
    "sleep(for:", "Regex",
  ]

  @Test("the client uses nothing that is newer than the lowest versions of Apple's systems", arguments: targets)
  func versionsOfSystems(target: Manifest.Target) throws {
    for path in target.files {
      let text = try Project.text(path)
      for word in Self.newer { #expect(!text.contains(word), "\(path) uses \(word)") }
    }
  }

  @Test("the client needs swift-nio and no other package, so that an app of the client compiles little")
  func packages() {
    #expect(
      Set(Self.targets.flatMap(\.products))
        == ["NIOConcurrencyHelpers", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"])
  }

  @Test("the client needs these targets of the package and no others")
  func closure() {
    #expect(
      Set(Self.targets.map(\.name)) == [
        "CAtomics", "CSQLite", "CTLS", "HearthBytes", "HearthClient", "HearthClientLegacy", "HearthSync", "HearthTLS",
        "HearthTree", "HearthWire",
      ])
  }
}
