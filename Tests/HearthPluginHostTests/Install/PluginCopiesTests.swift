import Foundation
import Testing

@testable import HearthPluginHost

/// Tests that Python plugins are installed with the files of the one `hearth_plugin` package in `Plugins/Python`.
@Suite struct PluginCopiesTests {
  private static let plugins = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Plugins")

  private static let written = try? FileManager.default.contentsOfDirectory(atPath: plugins.path).filter {
    FileManager.default.fileExists(atPath: plugins.appending(path: "\($0)/main.py").path)
  }.sorted()

  @Test("a plugin in Python is installed with the files of hearth_plugin", arguments: written ?? [])
  func hasThePackage(plugin: String) throws {
    let original = try PluginFiles(Self.plugins.path + "/Python", .package).entries.filter {
      $0.path.hasPrefix("hearth_plugin/")
    }
    let entries = try PluginPackage(Self.plugins.path + "/" + plugin).files.entries.filter {
      $0.path.hasPrefix("hearth_plugin/")
    }
    #expect(entries.map(\.path) == original.map(\.path))
    #expect(entries.map(\.digest) == original.map(\.digest), "make plugins")
  }

  @Test("the checkout has plugins in Python") func pluginsAreFound() {
    #expect(Self.written?.contains("APIKeysPython") == true)
  }

  @Test("a plugin without the package gets it from the parent folder, with the same checksum as a plugin with a copy")
  func borrows() throws {
    let (checkout, data) = (TemporaryFolder(), TemporaryFolder())
    try checkout.write("Python/hearth_plugin/__init__.py", "one")
    try checkout.write("Python/hearth_plugin/__pycache__/a.pyc", "compiled")
    for plugin in ["Lacks", "Has", "Other"] {
      let command = plugin == "Other" ? "./main.sh" : "./main.py"
      try checkout.write(
        "\(plugin)/plugin.json",
        #"{"name":"sample","version":"1","protocol":1,"command":["\#(command)"],"hooks":["audit"]}"#)
      try checkout.write("\(plugin)/\(command.dropFirst(2))", "")
    }
    try checkout.write("Has/hearth_plugin/__init__.py", "one")
    let lacks = try PluginPackage(checkout.path + "/Lacks")
    #expect(lacks.files.entries.map(\.path) == ["hearth_plugin/__init__.py", "main.py", "plugin.json"])
    #expect(try lacks.digest == PluginPackage(checkout.path + "/Has").digest)
    #expect(try PluginPackage(checkout.path + "/Other").files.entries.count == 2, "it is not in Python")
    let folder = PluginFolder(dataDirectory: data.path)
    try folder.add(lacks)
    #expect(folder.plugin("sample").problem == nil)
    try checkout.write("Has/hearth_plugin/__init__.py", "another")
    try checkout.write("Python/hearth_plugin/__init__.py", "two")
    #expect(try PluginPackage(checkout.path + "/Has").digest != PluginPackage(checkout.path + "/Lacks").digest)
    #expect(try PluginPackage(checkout.path + "/Lacks").digest != lacks.digest, "the checksum covers it")
  }
}
