import ArgumentParser
import HearthBytes
import HearthProgram
import HearthRulesCommands
import HearthServer
import HearthSystem
import HearthWire

/// The command `hearth dev`.
struct DevCommand: ServerCommand {
  static let configuration = CommandConfiguration(
    commandName: "dev",
    abstract: "Serve for development: create the data folder, the rules file and databases as needed.",
    discussion: """
      Creates the data folder and a starter rules file, deploys the rules each time the file is saved, and creates a \
      database at its first write or listen. Users can sign in with the methods of --sign-in or --auth-config (default: \
      \(BuiltInPlugins.defaultText(isDevelopment: true))).

      In a folder with a firebase.json, the server uses its rules files, and the project of .firebaserc with the default \
      database PROJECT-default-rtdb. If firebase.json has emulators for the database or accounts, the server replaces \
      them on their ports, with --emulator and a temporary data folder.

      Other commands in this folder use this server: hearth console, hearth db, hearth users, hearth rules explain.

      Examples:

        hearth dev
        hearth dev --rules app.rules.json --sign-in password,anonymous
        hearth dev --emulator --project demo-shop
      """)

  @OptionGroup(title: "Data") var data: ServedFolderOption
  @OptionGroup(title: "Data") var storage: StorageFlags
  @OptionGroup(title: "Data") var space: SpaceFlags
  @OptionGroup(title: "Data") var history: HistoryFlags
  @OptionGroup(title: "Rules") var rules: RulesFlags
  @OptionGroup(title: "Rules") var plugin: RulesPluginOption
  @OptionGroup(title: "Address") var flags: ServerFlags
  @OptionGroup(title: "Accounts") var accounts: ServerAccountsFlags
  @OptionGroup(title: "Console") var console: ConsoleFlags
  @OptionGroup(title: "Log and metrics") var log: LogFlags
  @OptionGroup(title: "Cluster") var cluster: ClusterFlags
  @OptionGroup(title: "Emulator") var emulatorSwitch: EmulatorSwitch
  @OptionGroup(title: "Emulator") var emulatorOptions: EmulatorOptions

  private var emulator: Bool? { emulatorSwitch.emulator }

  func validate() throws {
    try storage.validate(beside: cluster)
    guard emulator == true else { return }
    guard IPAddress.isLoopback(host: flags.host) || !emulatorOptions.allowed.isEmpty else {
      throw ValidationError(
        "--emulator gives every client the rights of an administrator, so it needs a loopback --host such as "
          + "127.0.0.1, or --emulator-allow with the networks of the clients.")
    }
    guard flags.tlsCert == nil else {
      throw ValidationError("--emulator cannot be combined with --tls-cert: it is for clients of this machine.")
    }
  }

  func run() async throws {
    let started = ContinuousClock.now
    let project = try FirebaseProject.current(named: accounts.project)
    let isEmulator = emulator ?? (project?.hasEmulators == true && flags.tlsCert == nil)
    guard isEmulator || (emulatorOptions.importFolder == nil && emulatorOptions.exportFolder == nil) else {
      throw ValidationError(
        "--import and --export-on-exit need --emulator. Without it, use hearth db import and hearth users import.")
    }
    guard isEmulator || emulatorOptions.allowed.isEmpty else {
      throw ValidationError("--emulator-allow needs --emulator.")
    }
    // A project's emulators start empty each time, as the official ones do.
    let folder = isEmulator && emulator == nil && data.given == nil ? try Folder.makeTemporary() : nil
    defer { if let folder { Folder.remove(folder) } }
    let reader = RulesReader(plugin: plugin, dataDirectory: folder ?? data.path)
    let watched = try await rulesFile(of: project, reader)
    let settings = settings(of: project)
    var options = try options(project, watched, settings, folder: folder ?? data.path, isEmulator)
    options.console.examine = Examination.report(on: folder ?? data.path)
    let server = HearthServer(options: options)
    try await ServeRun(
      server: server, started: started, settings: settings, watches: watches(watched, project, server, reader),
      stopsWithStandardInput: flags.stopWithStdin, drainSeconds: flags.drainSeconds,
      prepare: prepare(project, isEmulator, reader), finish: try finish(project, isEmulator)
    ).run()
  }

  /// A rules file at the time when the server's rules were read from it.
  private struct ServedRules {
    var path: String
    var version: FileVersion?
    /// The text of the rules; nil when the file is invalid, which keeps the last deployed rules in force.
    var text: String?
  }

  /// Returns the rules file for databases without an entry of their own.
  private func rulesFile(of project: FirebaseProject?, _ reader: RulesReader) async throws -> ServedRules {
    let path = rules.rules ?? project?.commonRules ?? "hearth.rules.json"
    if project?.commonRules == nil, try TextFile.create(path, Self.starterRules) {
      Output.line("hearth: created a starter rules file: \(path)")
    }
    let version = FileVersion(of: path)
    return ServedRules(path: path, version: version, text: try await reader.atStart(path))
  }

  private func settings(of project: FirebaseProject?) -> FolderSettings {
    var settings = folderSettings(mode: .dev)
    let isGiven = accounts.project != nil
    if isGiven || (settings.projectID == nil && settings.authConfigPath == nil), let project {
      settings.projectID = project.projectID ?? settings.projectID
    }
    return settings
  }

  private func options(
    _ project: FirebaseProject?, _ rules: ServedRules, _ settings: FolderSettings, folder: String, _ isEmulator: Bool
  ) throws -> HearthServer.Options {
    var options = try serverOptions(
      rulesText: rules.text, from: rules.path, settings: settings, folder: folder,
      otherPort: project?.hasEmulators == true ? project?.port("database") ?? 9000 : 9000, isEmulator: isEmulator)
    if self.rules.defaultNamespace == nil, let name = Self.projectNamespace(settings, folder: folder) {
      options.defaultNamespace = name
    }
    guard isEmulator else { return options }
    emulatorOptions.allow(on: &options)
    options.emulatorExport = EmulatorFolder.exporter(of: folder)
    options.emulatorPorts =
      if let project, project.hasEmulators, flags.port == nil {
        EmulatorPorts(
          database: options.port, auth: try openPort(project.port("auth")), hub: try openPort(project.port("hub")))
      } else {
        EmulatorPorts(all: options.port)
      }
    return options
  }

  /// Returns the default database of a project; nil without one. A folder that was served before keeps its own.
  static func projectNamespace(_ settings: FolderSettings, folder: String) -> String? {
    if let name = FolderSettings.read(in: folder).defaultNamespace { return name }
    let name = settings.projectID.map { $0 + "-default-rtdb" }
    return name.flatMap { Namespace.isValid($0) ? $0 : nil }
  }

  /// Returns the port to open for a configured one: 0 is any free port.
  private func openPort(_ port: Int) throws -> Int { try port == 0 ? FreePort.find(host: flags.host) : port }

  private func watches(
    _ rules: ServedRules, _ project: FirebaseProject?, _ server: HearthServer, _ reader: RulesReader
  ) -> [RulesWatch] {
    var watches = [RulesWatch(path: rules.path, seen: rules.version, server: server, reader: reader)]
    guard self.rules.rules == nil else { return watches }
    for entry in project?.rules ?? [] where entry.namespace != nil {
      watches.append(
        RulesWatch(
          path: entry.path, namespace: entry.namespace, seen: FileVersion(of: entry.path), server: server,
          reader: reader))
    }
    return watches
  }

  /// Returns the work before the server is announced.
  private func prepare(
    _ project: FirebaseProject?, _ isEmulator: Bool, _ reader: RulesReader
  ) -> @Sendable (HearthServer) async throws -> Void {
    let from = isEmulator ? emulatorOptions.folderToImport(project) : nil
    let ownRules = rules.rules == nil
    return { server in
      if ownRules { try await server.deployRules(of: project, reader) }
      try await from?.importInto(server.options.dataDirectory)
    }
  }

  /// Returns the work before the server stops.
  private func finish(_ project: FirebaseProject?, _ isEmulator: Bool) throws
    -> @Sendable (HearthServer) async throws -> Void
  {
    let to = isEmulator ? try emulatorOptions.folderToExport(project) : nil
    return { server in try await to?.export(server.options.dataDirectory, server.databaseNames) }
  }

  /// The starter rules: signed-in users each get a folder of their own; everything else is closed.
  static let starterRules = """
    {
      // hearth dev puts saved changes in force at once. Check them with: hearth rules check FILE
      "rules": {
        "users": {
          "$uid": {
            ".read": "auth != null && auth.uid == $uid",
            ".write": "auth != null && auth.uid == $uid"
          }
        }
      }
    }

    """
}
