import ArgumentParser
import HearthBytes

/// The flags for the address of a server. `serve` and `dev` share them with the other groups of ``ServerCommand``.
struct ServerFlags: ParsableArguments {
  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(
    help: ArgumentHelp("The port to listen on; 0 picks a free one and prints it. (default: 9000)", valueName: "port"))
  var port: Int?

  @Option(
    help: ArgumentHelp("A PEM certificate chain. With it, the port accepts TLS connections only.", valueName: "file"))
  var tlsCert: String?

  @Option(help: ArgumentHelp("The PEM private key of --tls-cert.", valueName: "file"))
  var tlsKey: String?

  @Option(help: ArgumentHelp("The number of event loops for sockets; 0 for one per core.", valueName: "count"))
  var threads = 0

  @Option(
    help: ArgumentHelp(
      "How long the server serves requests after a stop signal, while /.health/ready fails.", valueName: "seconds"))
  var drainSeconds = 0

  @Flag(
    help: ArgumentHelp(
      "Stop when standard input ends, as it does when the parent process is gone.", visibility: .hidden))
  var stopWithStdin = false

  func validate() throws {
    guard (0...65535).contains(port ?? 0) else { throw ValidationError("--port must be between 0 and 65535.") }
    guard (0...3_600).contains(drainSeconds) else {
      throw ValidationError("--drain-seconds must be between 0 and 3600.")
    }
    guard (0...256).contains(threads) else { throw ValidationError("--threads must be between 0 and 256.") }
    guard (tlsCert == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-cert and --tls-key go together: give both or neither.")
    }
  }
}
