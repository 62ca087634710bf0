import ArgumentParser
import HearthProgram
import HearthServer
import HearthTransport
import NIOCore

/// `hearth-bench load`, and `hearth-bench` alone: one scenario, or a suite of them.
struct LoadBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Run a scenario or a suite of them; what `hearth-bench` does by itself.",
    discussion: """
      Starts a server of its own on loopback, with a data folder that goes with it; --port loads one that runs \
      already (its --data folder must be given, for tokens). Client and server share this machine's processors; \
      --server-cpu holds the server to one of them. Latencies come from an HdrHistogram.
      """)

  enum Scenario: String, CaseIterable, ExpressibleByArgument {
    case writes, fanout, streams, mixed, connects, queries, windows, transactions, revoke, idle, decide, start
  }

  enum Suite: String, CaseIterable, ExpressibleByArgument { case short }

  @Option(help: "A fixed set of scenarios: short.")
  var suite: Suite?

  @Option(help: "One scenario: \(Scenario.allCases.map(\.rawValue).joined(separator: ", ")).")
  var scenario = Scenario.writes

  @Option(help: "Sockets: writers, listeners, or lanes of connects.")
  var connections = 8

  @Option(help: "Writes on their way at once, for each socket.")
  var inFlight = 32

  @Option(help: "The size of each value.")
  var payloadBytes = 200

  @Option(help: "How long the load lasts.")
  var durationSeconds = 3.0

  @OptionGroup var benchOptions: BenchOptions

  @Option(help: "Hold the bench's own server to this processor.")
  var serverCpu: Int?

  @Option(help: "Load the server that runs on this port, under rules that let members of a room read and write it.")
  var port: Int?

  @Option(help: "Where that server is.")
  var host = "127.0.0.1"

  @Flag(help: "Allow a --host that is not loopback. Load only what is yours.")
  var allowRemote = false

  @Option(help: "That server's database.")
  var namespace = "default"

  @Option(
    help: ArgumentHelp("That server's data folder, which holds the secrets that sign its tokens.", valueName: "dir"))
  var data = "data"

  func validate() throws {
    guard (1...20_000).contains(connections) else { throw ValidationError("--connections must be 1 to 20000.") }
    guard (1...10_000).contains(inFlight) else { throw ValidationError("--in-flight must be 1 to 10000.") }
    guard (1...1_000_000).contains(payloadBytes) else { throw ValidationError("--payload-bytes must be 1 to 1000000.") }
    try LoadDuration.check(seconds: durationSeconds)
    guard allowRemote || host == "::1" || host == "localhost" || host.hasPrefix("127.") else {
      throw ValidationError("--host \(host) is not loopback; --allow-remote says that you mean it.")
    }
  }

  func run() async throws {
    OpenFiles.raiseLimit()
    let size = BenchSize(
      connections: connections, inFlight: inFlight, payloadBytes: payloadBytes, durationSeconds: durationSeconds)
    let plan = suite == nil ? [BenchStep(scenario: scenario, size: size, cpu: serverCpu)] : BenchStep.short
    var results: [BenchResult] = []
    for step in plan {
      Output.line("running \(step.scenario.rawValue) …")
      results.append(try await run(step))
    }
    Output.line(BenchTable(results: results).text)
  }

  private func run(_ step: BenchStep) async throws -> BenchResult {
    switch step.scenario {
    case .decide: return try DecideScenario.run()
    case .start: return try StartScenario.run(program: benchOptions.program, in: benchOptions.folder)
    default: break
    }
    if let port {
      let target = BenchTarget(
        host: host, port: port, namespace: namespace, process: nil, keys: try BenchServer.keys(of: data))
      return try await load(step, target: target)
    }
    let server = try BenchServer(program: benchOptions.program, cpu: step.cpu, in: benchOptions.folder)
    defer { server.stop() }
    let target = try server.target()
    return try await load(step, target: target)
  }

  private func load(_ step: BenchStep, target: BenchTarget) async throws -> BenchResult {
    guard let type = step.scenario.type else { return try fanOut(step, target) }
    var result = try await Self.run(type, target: target, size: step.size)
    if step.scenario == .revoke,
      let summary = try await ReceiptFigures.summary(of: target, cancelled: step.size.connections)
    {
      result.note += result.note.isEmpty ? summary : "; " + summary
    }
    return result
  }

  private func fanOut(_ step: BenchStep, _ target: BenchTarget) throws -> BenchResult {
    let isStreams = step.scenario == .streams
    let size = step.size
    let peer = isStreams ? FanoutPeer.streams(of: target) : .sockets(of: target, connections: size.connections)
    let figures = try Processors.leaving(step.cpu) {
      try FanoutLoad(peer, connections: size.connections, payloadBytes: size.payloadBytes)
        .run(inFlight: size.inFlight, seconds: size.durationSeconds)
    }
    return BenchResult(
      name: isStreams ? "event streams" : "fan-out",
      setup: "1 writer → \(size.connections) \(isStreams ? "streams" : "listeners"), \(size.inFlight) in flight",
      rate: figures.rate, unit: "deliveries/s", latency: figures.latency, serverBytes: figures.residentBytes,
      serverCPU: figures.processorSeconds.map { $0 / figures.seconds },
      note: figures.processorMicroseconds.map { "\(NumberFormat.hundredths($0)) µs of processor a delivery" } ?? "")
  }

  /// Runs a scenario on its own event loop.
  static func run(
    _ type: any BenchScenario.Type, target: BenchTarget, size: BenchSize
  ) async throws -> BenchResult {
    try await BenchLoop.run { loop in
      let sockets = BenchSockets(target: target, loop: loop)
      let scenario = type.init(sockets: sockets, size: size)
      return scenario.run().assumeIsolated().always { _ in
        // Retains the scenario until its end, because the sockets' callbacks do not own it.
        withExtendedLifetime(scenario) {
          for socket in sockets.all { socket.onClose = { _ in } }
        }
      }.nonisolated()
    }
  }
}

/// One scenario of a suite.
struct BenchStep {
  var scenario: LoadBench.Scenario
  var size: BenchSize
  var cpu: Int?

  static let short: [BenchStep] = [
    BenchStep(scenario: .start, size: BenchSize()),
    BenchStep(scenario: .decide, size: BenchSize()),
    BenchStep(scenario: .writes, size: BenchSize(connections: 8, inFlight: 64)),
    BenchStep(scenario: .fanout, size: BenchSize(connections: 1000, inFlight: 1), cpu: 0),
    BenchStep(scenario: .fanout, size: BenchSize(connections: 1000, inFlight: 4), cpu: 0),
    BenchStep(scenario: .streams, size: BenchSize(connections: 1000, inFlight: 1), cpu: 0),
    BenchStep(scenario: .streams, size: BenchSize(connections: 1000, inFlight: 4), cpu: 0),
    BenchStep(scenario: .mixed, size: BenchSize(connections: 10_000, durationSeconds: 10)),
    BenchStep(scenario: .connects, size: BenchSize(connections: 16)),
    BenchStep(scenario: .queries, size: BenchSize(connections: 8, inFlight: 8)),
    BenchStep(scenario: .windows, size: BenchSize(connections: 100)),
    BenchStep(scenario: .transactions, size: BenchSize(connections: 100)),
    BenchStep(scenario: .revoke, size: BenchSize(connections: 1000)),
    BenchStep(scenario: .revoke, size: BenchSize(connections: 10_000)),
    BenchStep(scenario: .idle, size: BenchSize(connections: 10_000)),
  ]
}

extension LoadBench.Scenario {
  /// The type of the scenario; nil for scenarios with their own client or none.
  fileprivate var type: (any BenchScenario.Type)? {
    switch self {
    case .decide, .fanout, .start, .streams: nil
    case .writes: WriteScenario.self
    case .mixed: MixedScenario.self
    case .connects: ConnectScenario.self
    case .queries: QueryScenario.self
    case .windows: WindowScenario.self
    case .transactions: TransactionScenario.self
    case .revoke: RevokeScenario.self
    case .idle: IdleScenario.self
    }
  }
}
