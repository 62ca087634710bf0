import ArgumentParser
import Glibc
import HearthCommandLine
import HearthProgram
import HearthRulesCommands
import HearthServer
import HearthTree
import HearthWorkbench

/// The command `hearth exec`.
struct ExecCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract: "Run a test suite with a new server instead of the Firebase emulators.",
    discussion: """
      Starts a server in emulator mode on a free port with a temporary data folder, runs the command with \
      FIREBASE_DATABASE_EMULATOR_HOST, FIREBASE_AUTH_EMULATOR_HOST, FIREBASE_EMULATOR_HUB, GCLOUD_PROJECT, \
      FIREBASE_CONFIG and HEARTH_DATA set, deletes the folder, and exits with the command's exit code. Prints to \
      standard error the coverage of the rules and, when the command fails, the requests that the rules denied, each \
      with the reason.

      The project and the rules come from firebase.json and .firebaserc in this folder or the nearest parent folder, \
      unless options set others. A command given as one word with spaces runs in a shell.

      Examples:

        hearth exec -- npm test
        hearth exec --rules app.rules.json --denials always -- npm test
        hearth exec --import ./seed --export-on-exit -- "npm run seed && npm test"
      """)

  @OptionGroup(title: "Emulator") var emulator: EmulatorOptions

  @Option(help: ArgumentHelp("The security rules, instead of those of firebase.json.", valueName: "file"))
  var rules: String?

  @OptionGroup var plugin: RulesPluginOption
  @Option(name: .customLong("project"), help: ProjectOption.aliasHelp) var projectName: String?

  @Option(help: ArgumentHelp("The port. (default: a free one)", valueName: "port"))
  var port: Int?

  @Flag(
    inversion: .prefixedNo,
    help:
      "Print the outcomes of rule conditions that the command did not cover; --no-coverage prints nothing.")
  var coverage: Bool?

  @OptionGroup var coverageFiles: CoverageFiles

  @Option(
    help: """
      When to print the last denials with their explanations: on-failure (of the command), always or never. At most \
      \(DenialReport.countMax) different ones.
      """)
  var denials = DenialReport.Condition.onFailure

  @Option(help: "The lowest level of the server's messages to log.")
  var logLevel = LogLevel.error

  @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
  var command: [String] = []

  func validate() throws {
    guard !command.isEmpty else { throw ValidationError("Name a command after --, as in: hearth exec -- npm test") }
    guard (0...65535).contains(port ?? 0) else { throw ValidationError("--port must be between 0 and 65535.") }
  }

  func run() async throws {
    let project = try FirebaseProject.current(named: projectName)
    let (from, to) = (emulator.folderToImport(project), try emulator.folderToExport(project))
    let folder = try Folder.makeTemporary()
    defer { Folder.remove(folder) }
    let reader = RulesReader(plugin: plugin, dataDirectory: folder)
    let server = HearthServer(options: try await options(project, folder, reader))
    signal(SIGXFSZ, SIG_IGN)
    try await server.start()
    let code: Int32
    let seen: CoverageReport
    let denied: DenialReport
    do {
      try await server.deployRules(of: project, reader)
      try await from?.importInto(folder)
      code = try await runCommand(server)
      seen = CoverageReport(of: server, files: rulesFiles(project))
      denied = DenialReport(of: server, files: rulesFiles(project))
      try await to?.export(folder, server.databaseNames)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
    if denials.isMet(by: code) { denied.print() }
    do {
      try show(seen)
    } catch  where code != 0 {
      Output.note("Error: \(error)")
    }
    if code != 0 { throw ExitCode(code) }
  }

  /// Prints the report apart from the command's output, which may be for a script.
  private func show(_ report: CoverageReport) throws {
    let style = TerminalStyle(isColored: Output.isNoteColored)
    switch coverage {
    case nil where report.tally.totalCount > 0: Output.raw(Array(report.summary(style).utf8), to: STDERR_FILENO)
    case true?: Output.raw(Array(report.text(style).utf8), to: STDERR_FILENO)
    default: break
    }
    try coverageFiles.write(report)
  }

  /// Returns the rules files that databases may use.
  private func rulesFiles(_ project: FirebaseProject?) -> [String] {
    [rules].compactMap(\.self) + (project?.rules.map(\.path) ?? [])
  }

  private func options(
    _ project: FirebaseProject?, _ folder: String, _ reader: RulesReader
  ) async throws -> HearthServer.Options {
    var flags: [String] = ["--data", folder, "--port", String(port ?? 0), "--log-level", logLevel.rawValue]
    if let name = project?.projectID ?? projectName { flags += ["--project", name] }
    // Programs of another network cannot reach a loopback address.
    if !emulator.allowed.isEmpty { flags += ["--host", "0.0.0.0"] }
    let server = try ServeCommand.parse(flags)
    let text: String
    if let path = rules ?? project?.commonRules {
      text = try await reader.read(path)
    } else {
      // The official emulator does the same without a rules file.
      Output.note("hearth: warning: no rules file, so everything is allowed; name one with --rules or in firebase.json")
      text = #"{"rules":{".read":true,".write":true}}"#
    }
    let settings = server.folderSettings(mode: .dev)
    var options = try server.serverOptions(
      rulesText: text, from: rules ?? project?.commonRules, settings: settings, folder: folder, isEmulator: true)
    if let name = DevCommand.projectNamespace(settings, folder: folder) { options.defaultNamespace = name }
    emulator.allow(on: &options)
    options.emulatorPorts = EmulatorPorts(all: options.port)
    options.emulatorExport = EmulatorFolder.exporter(of: folder)
    return options
  }

  /// Returns the value of `FIREBASE_CONFIG`, with which admin SDKs initialise themselves.
  private static func configuration(of projectID: String, at address: String) -> String {
    let members: [(String, String)] = [
      ("projectId", projectID), ("databaseURL", "http://\(address)/?ns=\(projectID)-default-rtdb"),
      ("storageBucket", projectID + ".appspot.com"),
    ]
    let json = JSON.object(members.map { .init($0.0, .string($0.1)) })
    return String(decoding: json.text(), as: UTF8.self)
  }

  private func runCommand(_ server: HearthServer) async throws -> Int32 {
    let host = emulator.allowed.isEmpty ? server.options.host : "127.0.0.1"
    let address = "\(host):\(server.boundPort ?? server.options.port)"
    var variables = ChildProcess.ownEnvironment
    for name in ["FIREBASE_DATABASE_EMULATOR_HOST", "FIREBASE_AUTH_EMULATOR_HOST", "FIREBASE_EMULATOR_HUB"] {
      variables[name] = address
    }
    let projectID = server.options.accounts.projectID
    variables["GCLOUD_PROJECT"] = projectID
    variables[CommandTargetDefaults.folderVariable] = TextFile.absolute(server.options.dataDirectory)
    variables[CommandTargetDefaults.serverVariable] = nil
    variables["FIREBASE_CONFIG"] = Self.configuration(of: projectID, at: address)
    SignalRelay.begin()
    let child = try ChildProcess(command, environment: variables)
    SignalRelay.attach(child)
    defer { SignalRelay.end() }
    return await child.end()
  }
}
