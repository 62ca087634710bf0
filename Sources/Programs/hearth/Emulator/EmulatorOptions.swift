import ArgumentParser
import HearthProgram
import HearthServer

/// The options for the data that an emulated server imports and exports.
struct EmulatorOptions: ParsableArguments {
  @Option(
    name: .customLong("import"),
    help: ArgumentHelp("Import an emulator export from this folder at the start.", valueName: "dir"))
  var importFolder: String?

  @Option(
    name: .customLong("export-on-exit"), defaultAsFlag: "",
    help: ArgumentHelp(
      "Export data and accounts to this folder at the end. (default: the folder of --import)",
      valueName: "dir"))
  var exportFolder: String?

  @Option(
    name: .customLong("emulator-allow"),
    help: ArgumentHelp(
      "Let programs of this network act as administrators, for containers and test devices; can be repeated.",
      valueName: "cidr"))
  var allowed: [String] = []

  /// Allows further networks, and prints a note.
  func allow(on options: inout HearthServer.Options) {
    guard !allowed.isEmpty else { return }
    options.emulatorAllows = allowed
    Output.note("hearth: warning: every program in \(allowed.joined(separator: ", ")) has administrator rights")
  }

  /// Returns the folder to import. The folder in a project's file may be missing: the first run creates it.
  func folderToImport(_ project: FirebaseProject?) -> EmulatorFolder? {
    if let importFolder { return EmulatorFolder(path: importFolder) }
    return project?.importFolder.map { EmulatorFolder(path: $0) }.flatMap { $0.exists ? $0 : nil }
  }

  /// - Throws: `ValidationError` when no folder is known.
  func folderToExport(_ project: FirebaseProject?) throws -> EmulatorFolder? {
    switch exportFolder {
    case nil: return project?.exportFolder.map { EmulatorFolder(path: $0) }
    case ""?:
      guard let folder = importFolder ?? project?.importFolder else {
        throw ValidationError("--export-on-exit needs a folder, or --import with one.")
      }
      return EmulatorFolder(path: folder)
    case let folder?: return EmulatorFolder(path: folder)
    }
  }
}

/// The flag that makes a development server an emulator.
struct EmulatorSwitch: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: """
      Replace the Firebase emulators: accept any project, the administrator's token "owner", unsigned tokens and \
      credentials, and the emulator's routes, without throttling. Without TLS, and only on loopback unless \
      --emulator-allow names a network.
      """)
  var emulator: Bool?
}
