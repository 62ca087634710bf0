import ArgumentParser
import HearthBytes
import HearthProgram
import HearthServer
import Logging

/// The flags that `serve` and `dev` share, beside those of the other groups of ``ServerCommand``.
struct ServerFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      A \(JournalEngines.products) that keeps databases, accounts and events that are to be sent, instead of the data folder; keys, \
      secrets, settings, versions of rules, triggers and plugins stay there. Its password is in a file that \
      passfile=PATH in the URL or PGPASSFILE names.
      """,
      valueName: "url"))
  var journal: String?

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(
    help: ArgumentHelp("The port to listen on; 0 picks a free one and prints it. (default: 9000)", valueName: "port"))
  var port: Int?

  @Option(help: ArgumentHelp("The security rules of the default database.", valueName: "file"))
  var rules: String?

  @Option(
    help: ArgumentHelp("A PEM certificate chain; with it, the port takes TLS connections only.", valueName: "file"))
  var tlsCert: String?

  @Option(help: ArgumentHelp("The certificate's PEM private key.", valueName: "file"))
  var tlsKey: String?

  @Option(help: ArgumentHelp("The database of requests that name none. (default: default)", valueName: "name"))
  var defaultNamespace: String?

  @Option(help: ArgumentHelp("Event loops for sockets; 0 means one for each core.", valueName: "count"))
  var threads = 0

  @Option(help: "The least severe messages that are logged.")
  var logLevel = LogLevel.info

  @Option(help: "How messages are logged: text, or json with one object a line.")
  var logFormat = LogFormat.text

  @Option(
    help: ArgumentHelp(
      "How long /.health/ready says no after a signal to stop, while requests are still answered.",
      valueName: "seconds"))
  var drainSeconds = 0

  @Option(
    help: ArgumentHelp(
      "A file whose first line is a token that may read /.metrics and nothing else. Another file in its place counts at once.",
      valueName: "file"))
  var metricsTokenFile: String?

  @Option(
    help: ArgumentHelp(
      """
      Close a database that nobody has used for so long, such as 30m, until somebody does: then it takes no memory. If not \
      given, all stay open, but on a node of a cluster, where it is 10m. The default database stays open.
      """, valueName: "time"))
  var closeIdle: HistoryAge?

  @Flag(help: "Refuse a legacy secret as a credential by itself; tokens signed with one stay valid.")
  var noRawSecrets = false

  @Flag(help: "Count what each part of the rules comes to, for /.inspect/coverage; an emulator always does.")
  var rulesCoverage = false

  @Option(
    help: ArgumentHelp(
      "The functions emulator, which is told of events as firebase-tools registers its functions.",
      valueName: "host:port"))
  var functionsEmulator: String?

  @Flag(
    help: ArgumentHelp(
      "Stop when standard input ends, as it does when the parent process is gone.", visibility: .hidden))
  var stopWithStdin = false

  func validate() throws {
    guard (0...65535).contains(port ?? 0) else { throw ValidationError("--port must be between 0 and 65535.") }
    guard (0...3_600).contains(drainSeconds) else {
      throw ValidationError("--drain-seconds must be between 0 and 3600.")
    }
    if let journal {
      do { _ = try JournalLocation(url: journal) } catch { throw ValidationError("--journal: \(error).") }
    }
    guard (0...256).contains(threads) else { throw ValidationError("--threads must be between 0 and 256.") }
    if let functionsEmulator {
      let parts = functionsEmulator.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, UInt16(parts[1]) != nil, IPAddress.isLoopback(host: String(parts[0]))
      else {
        throw ValidationError("--functions-emulator is a loopback address and a port, such as 127.0.0.1:5001.")
      }
    }
    guard (tlsCert == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-cert and --tls-key go together: give both or neither.")
    }
  }
}

/// The log levels of the logging library, as an option takes them.
enum LogLevel: String, CaseIterable, ExpressibleByArgument {
  case trace, debug, info, notice, warning, error, critical

  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}

extension LogFormat: ExpressibleByArgument {}
