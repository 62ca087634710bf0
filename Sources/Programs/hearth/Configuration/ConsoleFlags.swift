import ArgumentParser
import HearthCrypto
import HearthServer

/// The flags of the console: its address, and the access to it.
struct ConsoleFlags: ParsableArguments {
  @Flag(help: "Do not serve the console.")
  var noConsole = false

  @Option(
    help: ArgumentHelp(
      """
      Serve the console at this address instead of the server's port. Port 0 picks a free one.
      """,
      valueName: "host:port"))
  var console: ConsoleAddress?

  @Option(
    help: ArgumentHelp(
      """
      Further host names for the console, separated by commas. localhost, the address of --host and the name in \
      --public-url are always accepted. Names of other machines need TLS.
      """, valueName: "names"))
  var consoleHost: String?

  @Option(
    help: ArgumentHelp(
      """
      The custom claim of users with access to the console: "administrator" or true for full access, "viewer" for \
      read-only access.
      """, valueName: "claim"))
  var consoleClaim: String?

  @Flag(
    help: """
      Do not keep the values of denied requests and the data that rules read. Denials name the deciding rule but \
      cannot be explained later.
      """)
  var noDenialValues = false

  func validate() throws {
    guard !noConsole || (console == nil && consoleHost == nil && consoleClaim == nil) else {
      throw ValidationError("--no-console cannot be combined with --console, --console-host and --console-claim.")
    }
    if let consoleClaim, IDTokenClaims.isTaken(consoleClaim) {
      throw ValidationError("--console-claim \(consoleClaim) is a reserved claim: the server sets its value.")
    }
    guard hostNames.allSatisfy(Self.isName) else {
      throw ValidationError("--console-host must be names or addresses without ports, separated by commas.")
    }
  }

  /// The console's options.
  var options: ConsoleOptions {
    var options = ConsoleOptions()
    options.isServed = !noConsole
    options.address = console?.address
    options.hostNames = hostNames
    options.claim = consoleClaim
    options.keepsDenialValues = !noDenialValues
    return options
  }

  private var hostNames: [String] { (consoleHost ?? "").split(separator: ",").map(String.init) }

  private static func isName(_ name: String) -> Bool {
    name.utf8.allSatisfy { byte in
      byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "@")
    } && (!name.contains(":") || name.hasPrefix("[") || name.split(separator: ":").count > 2)
  }
}

/// An address as an argument: `127.0.0.1:9001`.
struct ConsoleAddress: ExpressibleByArgument {
  var address: ConsoleOptions.Address

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count >= 2, let port = parts.last.flatMap({ UInt16($0) }) else { return nil }
    // Brackets and invalid characters are checked by the parser of server addresses.
    guard let address = ServerAddress(argument: "http://" + parts.dropLast().joined(separator: ":")) else { return nil }
    self.address = .init(host: address.host, port: Int(port))
  }
}
