import Glibc
import HearthTree
import Testing

@testable import HearthPluginHost

@Suite struct PluginFolderTests {
  let data = TemporaryFolder()
  let source = TemporaryFolder()
  var folder: PluginFolder { PluginFolder(dataDirectory: data.path) }

  func add(_ plugin: SamplePlugin) throws {
    try plugin.write(to: source)
    try folder.add(try PluginPackage(source.path))
  }

  @Test("versions are added, the last two are kept, and a rollback switches between them")
  func versions() throws {
    for version in ["1", "2", "3"] { try add(SamplePlugin(version: version)) }
    let record = try #require(folder.plugin("sample").record)
    #expect(record.current == "3")
    #expect(record.versions.keys.sorted() == ["2", "3"])
    #expect(access(folder.folder(of: "sample", version: "1"), F_OK) != 0)
    try folder.rollBack("sample")
    #expect(folder.plugin("sample").manifest?.version == "2")
    try folder.rollBack("sample")
    #expect(folder.plugin("sample").manifest?.version == "3")
    #expect(folder.plugin("sample").problem == nil)
  }

  @Test("an installed version with other files is refused; with the same files it is accepted")
  func sameVersion() throws {
    try add(SamplePlugin())
    try add(SamplePlugin())
    #expect(throws: PluginProblem.self) { try add(SamplePlugin(output: "{}")) }
    #expect(folder.plugin("sample").problem == nil)
  }

  @Test("a changed, added, removed or newly executable file does not match the checksum")
  func checksum() throws {
    try source.write("more/data.txt", "a")
    for change in 0..<4 {
      try add(SamplePlugin(version: "\(change)"))
      let installed = folder.folder(of: "sample", version: "\(change)")
      #expect(folder.plugin("sample").problem == nil)
      chmod(installed, 0o755)
      chmod("\(installed)/more", 0o755)
      switch change {
      case 0:
        chmod("\(installed)/run.sh", 0o755)
        let file = open("\(installed)/run.sh", O_WRONLY | O_APPEND)
        write(file, "\n", 1)
        close(file)
      case 1: close(open("\(installed)/more/new", O_WRONLY | O_CREAT, 0o644))
      case 2: unlink("\(installed)/more/data.txt")
      default: chmod("\(installed)/more/data.txt", 0o755)
      }
      #expect(folder.plugin("sample").problem?.contains("checksum") == true, "\(change)")
    }
  }

  @Test(
    "compiled Python files are not copied, and invalidate the checksum of an installed plugin, at any depth",
    arguments: ["__pycache__", "lib/__pycache__", "lib/deep/__pycache__", "__pycache__/nested"])
  func compiledFiles(_ place: String) throws {
    for file in ["lib/a.py", "lib/deep/b.py", "\(place)/a.cpython-311.pyc"] { try source.write(file, "a") }
    try add(SamplePlugin())
    let installed = folder.folder(of: "sample", version: "1.0.0")
    #expect(folder.plugin("sample").problem == nil)
    #expect(access("\(installed)/\(place)", F_OK) != 0 && access("\(installed)/lib/a.py", F_OK) == 0)
    for path in ["", "/lib", "/lib/deep"] { chmod(installed + path, 0o755) }
    try data.write("plugins/sample/versions/1.0.0/\(place)/a.cpython-311.pyc", "b")
    let problem = folder.plugin("sample").problem
    #expect(problem?.contains("\(place)/a.cpython-311.pyc, which Python would load, was not installed") == true)
    #expect(problem?.contains("add the plugin again") == true)
    // The documented remedy.
    try add(SamplePlugin())
    #expect(folder.plugin("sample").problem == nil && access("\(installed)/\(place)", F_OK) != 0)
  }

  @Test("compiled files without their sources are ordinary files, and so is a file named like their folder")
  func otherCompiledFiles() throws {
    for (version, name) in [("1", "a.pyc"), ("2", "lib/__pycache__")] {
      try source.write(name, "a")
      try add(SamplePlugin(version: version))
      let installed = folder.folder(of: "sample", version: version)
      #expect(access("\(installed)/\(name)", F_OK) == 0 && folder.plugin("sample").problem == nil)
    }
  }

  @Test("an installed plugin is started from files that match its checksum at that time, and not through a link")
  func startedFiles() throws {
    try add(SamplePlugin())
    let plugin = folder.plugin("sample")
    let (manifest, installed) = (try #require(plugin.manifest), folder.folder(of: "sample", version: "1.0.0"))
    let runFolder = try PluginRunFolder(folder)
    defer { runFolder.remove() }
    let plan = try runFolder.plan(plugin, manifest, command: ["/bin/sh", "./run.sh"])
    #expect(plan.environment["PYTHONNOUSERSITE"] == "1" && plan.environment["PYTHONSAFEPATH"] == nil)
    #expect(try runFolder.plan(plugin, manifest, command: ["/bin/sh"]).environment["PYTHONSAFEPATH"] == "1")
    chmod(installed, 0o755)
    try data.write("plugins/sample/versions/1.0.0/__pycache__/main.cpython-311.pyc", "b")
    #expect(throws: PluginProblem.self) { try runFolder.plan(plugin, manifest, command: ["/bin/sh", "./run.sh"]) }
    try add(SamplePlugin())
    _ = try runFolder.plan(plugin, manifest, command: ["/bin/sh", "./run.sh"])
    rename(installed, installed + ".away")
    symlink(installed + ".away", installed)
    #expect(folder.plugin("sample").problem?.contains("is a symbolic link") == true)
  }

  @Test("links and special files are refused")
  func links() throws {
    try SamplePlugin().write(to: source)
    symlink("/etc/passwd", "\(source.path)/link")
    #expect(throws: PluginProblem.self) { try PluginPackage(source.path) }
    unlink("\(source.path)/link")
    mkfifo("\(source.path)/pipe", 0o600)
    #expect(throws: PluginProblem.self) { try PluginPackage(source.path) }
  }

  @Test("a command that names a file of the plugin needs the file")
  func missingFile() throws {
    try SamplePlugin().write(to: source)
    unlink("\(source.path)/run.sh")
    #expect(throws: PluginProblem.self) { try PluginPackage(source.path) }
  }

  @Test("settings are validated by the manifest and kept over versions, and secrets are never shown")
  func settings() throws {
    var plugin = SamplePlugin()
    plugin.settings =
      "{\"url\":{\"type\":\"text\",\"isRequired\":true},\"key\":{\"type\":\"text\",\"isSecret\":true},"
      + "\"n\":{\"type\":\"number\",\"default\":3}}"
    try add(plugin)
    #expect(folder.plugin("sample").problem == "settings are missing: url")
    try folder.set([("url", .string("https://a.example")), ("key", .string("s3cret"))], of: "sample")
    let installed = folder.plugin("sample")
    #expect(installed.problem == nil)
    #expect(installed.shownSettings.map(\.text) == ["\"https://a.example\"", "(set)", "3"])
    #expect(!"\(installed)".contains("s3cret"))
    for (name, value) in [("url", JSON.int(1)), ("other", .string("s3cret"))] {
      #expect {
        try folder.set([(name, value)], of: "sample")
      } throws: { !"\($0)".contains("s3cret") }
    }
    var status = stat()
    #expect(stat("\(folder.folder(of: "sample"))/settings.json", &status) == 0 && status.st_mode & 0o077 == 0)
    plugin.version = "2"
    try add(plugin)
    #expect(folder.plugin("sample").problem == nil)
    try folder.set([("url", nil)], of: "sample")
    #expect(folder.plugin("sample").problem == "settings are missing: url")
  }

  @Test("a removed plugin is gone; an invalid name leads to no folder")
  func remove() throws {
    try add(SamplePlugin())
    for name in ["../plugins", "", "no", "sample/versions"] {
      #expect(throws: PluginProblem.self) { try folder.remove(name) }
    }
    try folder.remove("sample")
    #expect(folder.plugins().isEmpty)
  }

  @Test("a damaged record is a problem of its plugin alone")
  func damaged() throws {
    try add(SamplePlugin())
    try add(SamplePlugin(name: "other"))
    try data.write("plugins/other/record.json", "{")
    #expect(folder.plugins().map(\.name) == ["other", "sample"])
    #expect(folder.plugins().map { $0.problem == nil } == [false, true])
  }
}
