import ArgumentParser
import HearthProgram
import HearthServer
import HearthTransport

/// The command `hearth-bench brokers`: the same fan-out over Hearth and over message brokers.
struct BrokerBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "brokers",
    abstract: "Compare the fan-out with that of message brokers, by processor time a delivery.",
    discussion: """
      One publisher, many subscribers of one place, the same payload and the same client: Hearth over WebSocket and over \
      event streams, and each of redis-server, nats-server and mosquitto that is installed (Debian has all three). They \
      take turns, round after round, each held to one processor; figures are medians of the rounds. Hearth's messages \
      are durable and were checked by rules; the brokers keep nothing.
      """)

  @Option(parsing: .upToNextOption, help: "Who takes part: \(Contender.Kind.names).")
  var servers = Contender.Kind.allCases

  @Option(help: ArgumentHelp("Another hearth program that takes part beside this one's.", valueName: "file"))
  var beside: String?

  @Option(help: "Subscribers.")
  var connections = 1_000

  @Option(parsing: .upToNextOption, help: "Messages on their way at once; each of these numbers is measured.")
  var inFlight = [1, 4]

  @Option(help: "The size of each message's payload.")
  var payloadBytes = 200

  @Option(help: "How often each takes its turn.")
  var rounds = 5

  @Option(help: "How long each load lasts.")
  var durationSeconds = 2.0

  @Option(help: "The processor that each server is held to.")
  var serverCpu = 0

  @OptionGroup var benchOptions: BenchOptions

  func validate() throws {
    guard (1...20_000).contains(connections) else { throw ValidationError("--connections must be 1 to 20000.") }
    guard !inFlight.isEmpty, inFlight.allSatisfy((1...1_000).contains) else {
      throw ValidationError("--in-flight must be 1 to 1000.")
    }
    guard (30...100_000).contains(payloadBytes) else { throw ValidationError("--payload-bytes must be 30 to 100000.") }
    guard (1...100).contains(rounds) else { throw ValidationError("--rounds must be 1 to 100.") }
    try LoadDuration.check(seconds: durationSeconds)
  }

  func run() async throws {
    OpenFiles.raiseLimit()
    let contenders = try Contender.list(servers, program: benchOptions.program, beside: beside)
    var figures = FanoutTable(names: contenders.map(\.name), inFlight: inFlight)
    for round in 1...rounds {
      for contender in contenders {
        Output.note("round \(round) of \(rounds): \(contender.name) …")
        for (number, figure) in zip(inFlight, try measure(contender)) {
          figures.add(figure, of: contender.name, inFlight: number)
        }
      }
    }
    Output.line(figures.text)
  }

  private func measure(_ contender: Contender) throws -> [FanoutFigures] {
    try contender.run(cpu: serverCpu, in: benchOptions.folder, connections: connections) { peer in
      try Processors.leaving(serverCpu) {
        let load = try FanoutLoad(peer, connections: connections, payloadBytes: payloadBytes)
        return try inFlight.map { try load.run(inFlight: $0, seconds: durationSeconds) }
      }
    }
  }
}
