import ArgumentParser
import HearthTree

/// The options for a database's quotas.
struct QuotaOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The maximum number of open sockets, long polls and streams.", valueName: "count"))
  var connections: QuotaValue?

  @Option(
    help: ArgumentHelp("The same for one client: a user, or the address of signed-out clients.", valueName: "count"))
  var clientConnections: QuotaValue?

  @Option(help: ArgumentHelp("Socket messages and HTTP requests per second.", valueName: "count"))
  var requestsPerSecond: QuotaValue?

  @Option(help: ArgumentHelp("The same for one client.", valueName: "count"))
  var clientRequestsPerSecond: QuotaValue?

  @Option(help: ArgumentHelp("Bytes per second that clients send.", valueName: "bytes"))
  var bytesPerSecond: QuotaValue?

  @Option(help: ArgumentHelp("The same for one client.", valueName: "bytes"))
  var clientBytesPerSecond: QuotaValue?

  @Option(
    help: ArgumentHelp(
      "Work of all clients per second; beyond it the heaviest clients wait. (default: 16000000)", valueName: "steps"))
  var workPerSecond: QuotaValue?

  @Option(
    help: ArgumentHelp("The same for one connection, which waits beyond it. (default: 16000000)", valueName: "steps"))
  var connectionWorkPerSecond: QuotaValue?

  @Option(help: ArgumentHelp("Memory of the data; writes that add data beyond it are refused.", valueName: "bytes"))
  var storedBytes: QuotaValue?

  @Option(
    help: ArgumentHelp("The maximum size of the response to a read or query; at least 256K.", valueName: "bytes"))
  var answerBytes: QuotaValue?

  /// The members of the request for the given quotas.
  var members: [JSON.Member] {
    let named: [(name: String, value: QuotaValue?)] = [
      ("connections", connections), ("clientConnections", clientConnections),
      ("requestsPerSecond", requestsPerSecond), ("clientRequestsPerSecond", clientRequestsPerSecond),
      ("bytesPerSecond", bytesPerSecond), ("clientBytesPerSecond", clientBytesPerSecond),
      ("workPerSecond", workPerSecond), ("connectionWorkPerSecond", connectionWorkPerSecond),
      ("storedBytes", storedBytes), ("answerBytes", answerBytes),
    ]
    return named.compactMap { name, value in value.map { .init(name, $0.number.map { .int($0) } ?? .null) } }
  }
}

/// A quota as an argument: a number in the form of ``ByteCount``, or `none`.
struct QuotaValue: ExpressibleByArgument, Equatable {
  /// The number; nil lifts the limit.
  var number: Int64?

  init?(argument: String) {
    if argument == "none" { return }
    guard let count = ByteCount(argument: argument) else { return nil }
    number = Int64(count.bytes)
  }
}
