import ArgumentParser
import HearthBytes

/// The flags for the default database and its rules.
struct RulesFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The security rules of the default database, put in force at each start when they differ.", valueName: "file"))
  var rules: String?

  @Option(
    help: ArgumentHelp(
      """
      The database of requests that name none; that of hearth dev with a project is PROJECT-default-rtdb. \
      (default: default)
      """, valueName: "name"))
  var defaultNamespace: String?

  @Flag(help: "Count the outcomes of the conditions of rules, for /.inspect/coverage. An emulator always does.")
  var rulesCoverage = false

  @Option(
    help: ArgumentHelp(
      "The address of the functions emulator; events go to the functions that firebase-tools registers there.",
      valueName: "host:port"))
  var functionsEmulator: String?

  func validate() throws {
    guard let functionsEmulator else { return }
    let parts = functionsEmulator.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, UInt16(parts[1]) != nil, IPAddress.isLoopback(host: String(parts[0]))
    else {
      throw ValidationError("--functions-emulator must be a loopback address and a port, such as 127.0.0.1:5001.")
    }
  }
}
