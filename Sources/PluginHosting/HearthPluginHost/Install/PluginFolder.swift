import Glibc
import HearthCrypto
import HearthSystem
import HearthTree

/// The plugins of a data folder: `plugins/NAME/`, each with its versions, its record, its settings and its log.
///
/// Commands change it, and a running server reads it again when it is notified. Each change replaces one file as a
/// whole, so that a server that ends in between finds the former state or the new one. Blocks for files.
package struct PluginFolder: Sendable {
  /// The path of the plugins' folder in the data folder.
  package let path: String
  private static let settingsName = "settings.json"

  /// Creates the plugin folder of that data folder; it is not made yet.
  package init(dataDirectory: String) {
    // A relative path would change with the working folder.
    let absolute = dataDirectory.hasPrefix("/") ? dataDirectory : Self.currentFolder + "/" + dataDirectory
    path = absolute + "/plugins"
  }

  func folder(of name: String) -> String { "\(path)/\(name)" }
  func folder(of name: String, version: String) -> String { "\(folder(of: name))/versions/\(version)" }
  func workFolder(of name: String) -> String { "\(folder(of: name))/work" }

  // MARK: Reading

  /// Returns the installed plugins in order of name.
  package func plugins() -> [InstalledPlugin] {
    let names = (try? AtomicFile.names(in: path)) ?? []
    return names.filter(PluginManifest.isName).sorted().map { plugin($0) }
  }

  /// Returns a plugin, after checking its files against its checksum.
  package func plugin(_ name: String) -> InstalledPlugin {
    var plugin = InstalledPlugin(name: name, settings: [:])
    do throws(PluginProblem) {
      guard let bytes = try read(name, PluginRecord.fileName), let record = PluginRecord(bytes) else {
        throw PluginProblem("its \(PluginRecord.fileName) is missing or damaged")
      }
      plugin.record = record
      let package = try PluginPackage(folder(of: name, version: record.current), .installed)
      plugin.manifest = package.manifest
      plugin.settings = try settings(name)
      if package.manifest.carrier.isService { plugin.secrets = try secrets(of: name) }
      guard package.digest == record.versions[record.current]?.digest else {
        throw Self.changed(package.files)
      }
      guard package.manifest.name == name else { throw PluginProblem("its files belong to another plugin") }
      let missing = package.manifest.settings.missing(in: plugin.settings)
      guard missing.isEmpty else { throw PluginProblem("settings are missing: \(missing.joined(separator: ", "))") }
      guard !package.manifest.carrier.isService || !plugin.secrets.isEmpty else {
        throw PluginProblem(
          "requests to its service have no secret: create one with hearth plugins rotate-secret \(name)")
      }
    } catch {
      plugin.problem = error.description
    }
    return plugin
  }

  /// Returns the problem of files that differ from the installed ones, with the way to repair them.
  static func changed(_ files: PluginFiles) -> PluginProblem {
    let stray = files.strayCache.map { "; \($0), which Python would load, was not installed: remove it, or" } ?? ";"
    return PluginProblem(
      "its files differ from the installed ones: the checksum does not match\(stray) add the plugin again")
  }

  /// Returns an installed plugin.
  ///
  /// - Throws: ``PluginProblem`` when there is no such plugin.
  package func existing(_ name: String) throws(PluginProblem) -> InstalledPlugin {
    guard PluginManifest.isName(name), access(folder(of: name), F_OK) == 0 else {
      throw PluginProblem("unknown plugin \(LogLines.printable(name.utf8.prefix(64)))")
    }
    return plugin(name)
  }

  private func settings(_ name: String) throws(PluginProblem) -> JSON {
    guard let bytes = try read(name, Self.settingsName) else { return [:] }
    guard let settings = JSON(parsing: bytes), settings.members != nil else {
      throw PluginProblem("its \(Self.settingsName) is damaged")
    }
    return settings
  }

  func read(_ name: String, _ file: String) throws(PluginProblem) -> [UInt8]? {
    do throws(AtomicFile.Problem) {
      return try AtomicFile(folder: folder(of: name), name: file).read(bytesMax: PluginSettingRule.bytesMax)
    } catch {
      throw PluginProblem("its \(file) \(error.what): \(error.cause)")
    }
  }

  // MARK: Changing

  /// Installs a plugin, or another version of it, which runs from then on if the former did.
  ///
  /// - Parameter allowsPrivate: true when its service may be at a private address, and be reached without TLS.
  /// - Throws: ``PluginProblem`` when the version is already installed with other files, or the policy forbids its
  ///   service's URL.
  package func add(_ package: PluginPackage, allowsPrivate: Bool = false) throws(PluginProblem) {
    let (name, version) = (package.manifest.name, package.manifest.version)
    if case .webhook(let service) = package.manifest.carrier {
      _ = try service.policy(allowsPrivate: allowsPrivate, files: package.files.folder)
    }
    try locked { () throws(PluginProblem) in
      var record = plugin(name).record ?? PluginRecord(current: version)
      if let former = record.versions[version], former.digest != package.digest, record.current == version {
        throw PluginProblem(
          "version \(version) of \(name) is already installed with other files; change the plugin's version")
      }
      let target = folder(of: name, version: version)
      if (try? PluginPackage(target, .installed))?.digest != package.digest {
        PluginFiles.remove(target)
        try package.files.copy(to: target)
      }
      if record.current != version { record.previous = record.current }
      record.current = version
      record.versions[version] = .init(
        digest: package.digest, hooks: package.manifest.hooks, allowsPrivate: allowsPrivate)
      let kept = [record.current, record.previous].compactMap(\.self)
      let former = record.versions.keys.filter { !kept.contains($0) }
      for version in former { record.versions[version] = nil }
      try write(record, of: name)
      for version in former { PluginFiles.remove(folder(of: name, version: version)) }
    }
  }

  /// Switches a plugin on or off.
  package func setEnabled(_ name: String, _ isEnabled: Bool) throws(PluginProblem) {
    try changeRecord(of: name) { record throws(PluginProblem) in record.isEnabled = isEnabled }
  }

  /// Returns to the previous version; a second call returns to the newer one.
  package func rollBack(_ name: String) throws(PluginProblem) {
    try changeRecord(of: name) { record throws(PluginProblem) in
      guard let previous = record.previous, record.versions[previous] != nil else {
        throw PluginProblem("\(name) has no version before \(record.current)")
      }
      (record.current, record.previous) = (previous, record.current)
    }
  }

  /// Removes the plugin with its settings, its log and all files in its folder.
  package func remove(_ name: String) throws(PluginProblem) {
    _ = try existing(name)
    try locked { () throws(PluginProblem) in
      PluginFiles.remove(folder(of: name))
      guard access(folder(of: name), F_OK) != 0 else { throw PluginProblem("\(folder(of: name)) cannot be removed") }
    }
  }

  /// Changes settings; nil removes the operator's value.
  ///
  /// - Throws: ``PluginProblem`` for an unknown setting, or a value of another kind; it shows no value.
  package func set(_ changes: [(name: String, value: JSON?)], of name: String) throws(PluginProblem) {
    let plugin = try existing(name)
    guard let rules = plugin.manifest?.settings else {
      throw PluginProblem("\(name): \(plugin.problem ?? "the plugin has no manifest")")
    }
    try locked { () throws(PluginProblem) in
      var members = try settings(name).members ?? []
      for change in changes {
        guard let rule = rules.first(where: { $0.name == change.name }) else {
          let known =
            rules.isEmpty ? "it has no settings" : "its settings are \(rules.map(\.name).joined(separator: ", "))"
          throw PluginProblem("\(name) has no setting \(LogLines.printable(change.name.utf8.prefix(64))); \(known)")
        }
        members.removeAll { $0.name == change.name }
        guard let value = change.value else { continue }
        guard rule.takes(value) else { throw PluginProblem("\(rule.name) must be a \(rule.kind.rawValue)") }
        members.append(.init(rule.name, value))
      }
      let text = JSON.object(members).text()
      guard text.count <= PluginSettingRule.bytesMax else {
        throw PluginProblem("settings can have at most \(PluginSettingRule.bytesMax >> 10) KiB")
      }
      try write(text, Self.settingsName, of: name)
    }
  }

  private func changeRecord(
    of name: String, _ body: (inout PluginRecord) throws(PluginProblem) -> Void
  ) throws(PluginProblem) {
    let plugin = try existing(name)
    try locked { () throws(PluginProblem) in
      guard var record = plugin.record else { throw PluginProblem("\(name): \(plugin.problem ?? "damaged")") }
      try body(&record)
      try write(record, of: name)
    }
  }

  private func write(_ record: PluginRecord, of name: String) throws(PluginProblem) {
    try write(record.text, PluginRecord.fileName, of: name)
  }

  func write(_ text: [UInt8], _ file: String, of name: String) throws(PluginProblem) {
    do throws(AtomicFile.Problem) { try AtomicFile(folder: folder(of: name), name: file).write(text) } catch {
      throw PluginProblem("\(folder(of: name))/\(file) \(error.what): \(error.cause)")
    }
    giveToOwner("\(folder(of: name))/\(file)")
    giveToOwner(folder(of: name))
  }

  /// Runs a change under the folder's lock, so that commands run one after the other.
  func locked<Value>(_ body: () throws(PluginProblem) -> Value) throws(PluginProblem) -> Value {
    let isNew = access(path, F_OK) != 0
    guard AtomicFile.makeFolder(path) else { throw Self.problem(path) }
    if isNew { giveToOwner(path) }
    let lock = open("\(path)/.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw Self.problem("\(path)/.lock") }
    defer { close(lock) }
    giveToOwner("\(path)/.lock")
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Self.problem("\(path)/.lock") }
    }
    return try body()
  }

  /// Changes the owner of files that the superuser made to the folder's, so that a server of another user can read
  /// them.
  private func giveToOwner(_ made: String) {
    var status = stat()
    guard geteuid() == 0, stat(AtomicFile.parent(of: path), &status) == 0, status.st_uid != 0 else { return }
    lchown(made, status.st_uid, status.st_gid)
  }

  private static func problem(_ path: String) -> PluginProblem {
    PluginProblem("cannot use \(path): \(String(cString: strerror(errno)))")
  }

  private static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }
}
