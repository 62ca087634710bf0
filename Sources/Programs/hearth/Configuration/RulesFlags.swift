import ArgumentParser
import HearthBytes

/// The flags for the default database and its rules.
struct RulesFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The rules file of the default database. Each start deploys it when it has changed.", valueName: "file"))
  var rules: String?

  @Option(
    help: ArgumentHelp(
      """
      The database of requests that name none. In hearth dev with a project it is PROJECT-default-rtdb. \
      (default: default)
      """, valueName: "name"))
  var defaultNamespace: String?

  @Flag(help: "Count the outcomes of rule conditions for /.inspect/coverage. Always on in emulator mode.")
  var rulesCoverage = false

  @Option(
    help: ArgumentHelp(
      "The address of the functions emulator, whose functions receive the events of triggers.",
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
