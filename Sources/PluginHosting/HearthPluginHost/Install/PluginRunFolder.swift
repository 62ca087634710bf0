import Glibc
import HearthSystem

/// The folder from which plugins run. A server of the superuser runs them as another user, who may not enter the data
/// folder: they get copies in a folder outside of it, which is removed when the server ends.
final class PluginRunFolder: Sendable {
  /// The unprivileged user that runs plugins of a server of the superuser; by convention its name is `nobody`.
  static let user = ProcessPlan.User(id: 65_534, groupID: 65_534)

  private let plugins: PluginFolder
  /// The folder of the copies; nil when plugins run in the data folder.
  private let folder: String?

  init(_ plugins: PluginFolder) throws(PluginProblem) {
    self.plugins = plugins
    guard geteuid() == 0 else {
      folder = nil
      return
    }
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = Array("\(parent)/hearth-plugins-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else {
      throw PluginProblem("cannot create a folder in \(parent): \(String(cString: strerror(errno)))")
    }
    let path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    guard chmod(path, 0o711) == 0 else { throw PluginProblem("cannot use \(path)") }
    folder = path
  }

  /// Returns the plan for a plugin's process. Its files are copied first where required.
  func plan(
    _ plugin: InstalledPlugin, _ manifest: PluginManifest, command: [String]
  ) throws(PluginProblem) -> ProcessPlan {
    let installed = plugins.folder(of: plugin.name, version: manifest.version)
    // Checked against the checksum again: the files were read with the folder, which may be a while ago.
    let checked = try PluginFiles(installed, .installed)
    guard checked.digest == plugin.version?.digest else { throw PluginFolder.changed(checked) }
    let (files, work) = try places(plugin.name, checked, manifest)
    func word(_ word: String) -> String { word.hasPrefix("./") ? files + word.dropFirst() : word }
    let environment = Self.environment(
      files: files, work: work, namesFiles: command.contains { $0.hasPrefix("./") })
    var plan = ProcessPlan(
      program: try Self.program(word(command.first ?? "")), arguments: command.dropFirst().map(word),
      environment: environment, directory: work,
      dataBytesMax: UInt64(manifest.requirements.memoryMiB) << 20)
    plan.openFilesMax = UInt64(manifest.requirements.openFiles)
    if folder != nil {
      plan.user = Self.user
      plan.processesMax = 512
    }
    return plan
  }

  private func places(
    _ name: String, _ checked: PluginFiles, _ manifest: PluginManifest
  ) throws(PluginProblem) -> (files: String, work: String) {
    guard let folder else {
      let work = plugins.workFolder(of: name)
      guard AtomicFile.makeFolder(work) else { throw PluginProblem("cannot create \(work)") }
      return (checked.folder, work)
    }
    let place = "\(folder)/\(name)"
    let (files, work) = ("\(place)/\(manifest.version)", "\(place)/work")
    guard AtomicFile.makeFolder(work), chmod(place, 0o711) == 0, chown(work, Self.user.id, Self.user.groupID) == 0
    else {
      throw PluginProblem("cannot create \(work): \(String(cString: strerror(errno)))")
    }
    PluginFiles.remove(files)
    try checked.copy(to: files)
    return (files, work)
  }

  /// Returns the whole environment of a plugin's process.
  ///
  /// - Parameter namesFiles: true when the command names a file of the plugin.
  private static func environment(files: String, work: String, namesFiles: Bool) -> [String: String] {
    var environment = [
      "PATH": systemPath, "LANG": "C.UTF-8", "HOME": work, "TMPDIR": work, "HEARTH_PLUGIN_FOLDER": files,
      // A folder that plugins may not write needs no attempt, and a new file would break the checksum.
      "PYTHONDONTWRITEBYTECODE": "1",
      // `HOME` is the working folder: packages that an earlier process left in its `.local` were not installed by the
      // operator.
      "PYTHONNOUSERSITE": "1",
    ]
    // Python would look for modules in the working folder first. With a script it looks in the script's folder.
    if !namesFiles { environment["PYTHONSAFEPATH"] = "1" }
    return environment
  }

  private static let systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

  private static func program(_ name: String) throws(PluginProblem) -> String {
    if name.hasPrefix("/") { return name }
    for folder in systemPath.split(separator: ":") where access("\(folder)/\(name)", X_OK) == 0 {
      return "\(folder)/\(name)"
    }
    throw PluginProblem("program \(LogLines.printable(name.utf8.prefix(100))) not found in \(systemPath)")
  }

  /// Removes the copies.
  func remove() { if let folder { PluginFiles.remove(folder) } }
}
