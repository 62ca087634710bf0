import ArgumentParser
import HearthTree

/// The options for a database's quotas.
struct QuotaOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Sockets, long polls and streams at a time.", valueName: "count"))
  var connections: QuotaValue?

  @Option(
    help: ArgumentHelp("The same of one client: a user, or an address where nobody is signed in.", valueName: "count"))
  var clientConnections: QuotaValue?

  @Option(help: ArgumentHelp("Messages of sockets and requests over HTTP.", valueName: "count"))
  var requestsPerSecond: QuotaValue?

  @Option(help: ArgumentHelp("The same of one client.", valueName: "count"))
  var clientRequestsPerSecond: QuotaValue?

  @Option(help: ArgumentHelp("Bytes that clients send.", valueName: "bytes"))
  var bytesPerSecond: QuotaValue?

  @Option(help: ArgumentHelp("The same of one client.", valueName: "bytes"))
  var clientBytesPerSecond: QuotaValue?

  @Option(
    help: ArgumentHelp(
      "Work of clients, in steps of rules, before the heaviest of them wait; 16000000 unless set.", valueName: "steps"))
  var workPerSecond: QuotaValue?

  @Option(help: ArgumentHelp("The same of one connection, which then waits; 16000000 unless set.", valueName: "steps"))
  var connectionWorkPerSecond: QuotaValue?

  @Option(help: ArgumentHelp("Bytes that the data takes in memory; nothing more is stored beyond.", valueName: "bytes"))
  var storedBytes: QuotaValue?

  @Option(
    help: ArgumentHelp("Bytes of one answer: what a read or a query may cost; 256K at least.", valueName: "bytes"))
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
