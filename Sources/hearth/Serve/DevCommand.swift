import ArgumentParser
import HearthProgram
import HearthServer

/// `hearth dev`
struct DevCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dev",
    abstract: "Serve for development: makes the data folder, the rules file and databases as needed.",
    discussion: """
      Creates the data folder and a starter rules file, deploys the rules each time the file is saved, and makes a \
      database the first time somebody writes or listens there. Unless --sign-in or --auth-config says otherwise, users sign in with: \
      \(BuiltInPlugins.defaultText(isDevelopment: true)).
      """)

  @OptionGroup var flags: ServerFlags

  @Flag(
    help: """
      Stand in for the Firebase emulators in test suites: any project, the word "owner" as an administrator, unsigned \
      tokens and credentials, the emulator's routes, no throttles. On loopback only, and never with TLS.
      """)
  var emulator = false

  func validate() throws {
    guard emulator else { return }
    guard ["127.0.0.1", "::1", "localhost"].contains(flags.host) else {
      throw ValidationError(
        "--emulator lets anybody in as an administrator, so it needs a loopback --host such as 127.0.0.1.")
    }
    guard flags.tlsCert == nil else {
      throw ValidationError("--emulator is for loopback and cannot be combined with TLS.")
    }
  }

  func run() async throws {
    let started = ContinuousClock.now
    let path = flags.rules ?? "hearth.rules.json"
    if try TextFile.create(path, Self.starterRules) { print("made a starter rules file: \(path)") }
    let version = TextFile.version(of: path)
    let text = try TextFile.read(path)
    let server = HearthServer(options: try flags.serverOptions(rulesText: text, mode: .dev, isEmulator: emulator))
    let watch = RulesWatch(path: path, seen: version, server: server)
    try await ServerRun(
      server: server, started: started, settings: flags.folderSettings(mode: .dev), rulesWatch: watch,
      stopsWithStandardInput: flags.stopWithStdin
    ).run()
  }

  /// Signed-in users each get a folder of their own; everything else is closed.
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
