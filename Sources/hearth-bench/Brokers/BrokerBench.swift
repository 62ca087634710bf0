import ArgumentParser
import HearthProgram
import HearthServer
import NIOCore

/// `hearth-bench brokers`: the same fan-out over Hearth and over message brokers.
struct BrokerBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "brokers",
    abstract: "Compare the fan-out with that of message brokers.",
    discussion: """
      One publisher, many subscribers of one place, the same payload, one after the other on the same processor: Hearth \
      over WebSocket and over event streams, and each of mosquitto, nats-server and redis-server that is installed \
      (Debian has all three). Hearth's messages are durable and were checked by rules; the brokers keep nothing.
      """)

  @Option(help: "Subscribers.")
  var connections = 1_000

  @Option(help: "Messages on their way at once.")
  var inFlight = 1

  @Option(help: "The size of each message's payload.")
  var payloadBytes = 200

  @Option(help: "How long each load lasts.")
  var durationSeconds = 3.0

  @Option(help: "The processor that each server is held to.")
  var serverCpu = 0

  @Option(help: ArgumentHelp("Where the servers keep their data: the disk to measure.", valueName: "dir"))
  var folder = "/tmp"

  func validate() throws {
    guard (1...20_000).contains(connections) else { throw ValidationError("--connections must be 1 to 20000.") }
    guard (1...1_000).contains(inFlight) else { throw ValidationError("--in-flight must be 1 to 1000.") }
    guard (30...100_000).contains(payloadBytes) else { throw ValidationError("--payload-bytes must be 30 to 100000.") }
    guard durationSeconds > 0, durationSeconds <= 600 else {
      throw ValidationError("--duration-seconds must be more than 0 and at most 600.")
    }
  }

  func run() async throws {
    OpenFiles.raiseLimit()
    let size = BenchSize(
      connections: connections, inFlight: inFlight, payloadBytes: payloadBytes, durationSeconds: durationSeconds)
    var results: [BenchResult] = []
    for (name, type) in [("hearth", FanoutScenario.self as any BenchScenario.Type), ("hearth", StreamScenario.self)] {
      Output.line("running \(name) …")
      results.append(try await hearth(type, size))
    }
    let best = results[0].rate ?? 0
    for broker in Broker.all {
      Output.line("running \(broker.name) …")
      let process: BrokerProcess
      do { process = try BrokerProcess(broker, cpu: serverCpu, in: folder) } catch {
        Output.line("\(broker.name) is left out: \(error)")
        continue
      }
      defer { process.stop() }
      var result = try await BenchLoop.run { loop in
        let fanout = BrokerFanout(broker, at: process, size: size, loop: loop)
        return fanout.run().assumeIsolated().always { _ in withExtendedLifetime(fanout) {} }.nonisolated()
      }
      if let rate = result.rate, rate > 0 {
        let ratio = Int((best / rate * 100).rounded())
        result.note = "hearth's fan-out is \(ratio / 100).\(ratio % 100 / 10)\(ratio % 10) times this"
      }
      results.append(result)
    }
    Output.line(BenchTable(results: results).text)
  }

  private func hearth(_ type: any BenchScenario.Type, _ size: BenchSize) async throws -> BenchResult {
    let server = try BenchServer(rules: BenchTarget.rules, cpu: serverCpu, in: folder)
    defer { server.stop() }
    let target = try server.target()
    return try await LoadBench.run(type, target: target, size: size)
  }
}
