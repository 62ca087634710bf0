import ArgumentParser
import HearthBytes
import HearthProgram
import HearthRulesCommands
import HearthServer
import HearthSystem

/// The command `hearth dev`.
struct DevCommand: ServerCommand {
  static let configuration = CommandConfiguration(
    commandName: "dev",
    abstract: "Serve for development: makes the data folder, the rules file and databases as needed.",
    discussion: """
      Creates the data folder and a starter rules file, deploys the rules each time the file is saved, and makes a \
      database the first time somebody writes or listens there. Unless --sign-in or --auth-config says otherwise, users sign in with: \
      \(BuiltInPlugins.defaultText(isDevelopment: true)).

      In a folder with a firebase.json, its rules files are served, the project is that of .firebaserc, and when it has \
      emulators for the database or accounts, the server stands in for them on their ports, with --emulator and a \
      folder of its own that is taken away at the end.
      """)

  @OptionGroup var data: DataOption
  @OptionGroup var flags: ServerFlags
  @OptionGroup var cluster: ClusterFlags
  @OptionGroup var plugin: RulesPluginOption
  @OptionGroup var accounts: ServerAccountsFlags
  @OptionGroup var console: ConsoleFlags
  @OptionGroup var history: HistoryFlags
  @OptionGroup var space: SpaceFlags
  @OptionGroup var emulatorOptions: EmulatorOptions

  @Flag(
    inversion: .prefixedNo,
    help: """
      Stand in for the Firebase emulators in test suites: any project, the word "owner" as an administrator, unsigned \
      tokens and credentials, the emulator's routes, no throttles. Never with TLS, and on loopback only unless \
      --emulator-allow names who else may.
      """)
  var emulator: Bool?

  func validate() throws {
    try cluster.validate(beside: flags.journal)
    guard emulator == true else { return }
    guard IPAddress.isLoopback(host: flags.host) || !emulatorOptions.allowed.isEmpty else {
      throw ValidationError(
        "--emulator lets anybody in as an administrator, so it needs a loopback --host such as 127.0.0.1, or "
          + "--emulator-allow with the networks that may.")
    }
    guard flags.tlsCert == nil else {
      throw ValidationError("--emulator is for loopback and cannot be combined with TLS.")
    }
  }

  func run() async throws {
    let started = ContinuousClock.now
    let project = try FirebaseProject.current(named: accounts.project)
    let isEmulator = emulator ?? (project?.hasEmulators == true && flags.tlsCert == nil)
    guard isEmulator || (emulatorOptions.importFolder == nil && emulatorOptions.exportFolder == nil) else {
      throw ValidationError(
        "--import and --export-on-exit go with --emulator; hearth db and hearth users do it elsewhere.")
    }
    guard isEmulator || emulatorOptions.allowed.isEmpty else {
      throw ValidationError("--emulator-allow goes with --emulator.")
    }
    // A project's emulators start empty each time, as the official ones do.
    let folder = isEmulator && emulator == nil && data.given == nil ? try Folder.makeTemporary() : nil
    defer { if let folder { Folder.remove(folder) } }
    let reader = RulesReader(plugin: plugin, dataDirectory: folder ?? data.data)
    let watched = try await rulesFile(of: project, reader)
    let settings = settings(of: project)
    var options = try options(project, watched, settings, folder: folder ?? data.data, isEmulator)
    options.console.examine = Examination.report(on: folder ?? data.data)
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
    let path = flags.rules ?? project?.commonRules ?? "hearth.rules.json"
    if project?.commonRules == nil, try TextFile.create(path, Self.starterRules) {
      print("made a starter rules file: \(path)")
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

  /// Returns the port to open for a configured one: 0 is any free port.
  private func openPort(_ port: Int) throws -> Int { try port == 0 ? FreePort.find(host: flags.host) : port }

  private func watches(
    _ rules: ServedRules, _ project: FirebaseProject?, _ server: HearthServer, _ reader: RulesReader
  ) -> [RulesWatch] {
    var watches = [RulesWatch(path: rules.path, seen: rules.version, server: server, reader: reader)]
    guard flags.rules == nil else { return watches }
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
    let ownRules = flags.rules == nil
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
      // Saved changes are put in force at once. Check them with: hearth rules check FILE
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
