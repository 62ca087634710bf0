import ArgumentParser
import HearthProgram
import HearthTree
import NIOHTTP1

/// `hearth-bench quotas`
struct QuotasBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quotas",
    abstract: "Measure what a flood on one database does to the clients of another.",
    discussion: """
      Starts a server of its own with two databases. Somebody writes to one of them at a fixed rate, and latencies count \
      from when a write was due: alone; while clients flood the other database with writes, all that the server takes; \
      and the same with quotas on the flooded database. The last column is the p99 against that of writing alone. The \
      middle one of some rounds counts. Flood and writer share this machine's processors with the server.
      """)

  @OptionGroup var pace: PaceOptions

  @Option(help: ArgumentHelp("Rounds of each; the middle one counts.", valueName: "count"))
  var rounds = 3

  @Option(help: ArgumentHelp("Sockets of the flood.", valueName: "count"))
  var sockets = 16

  @Option(help: ArgumentHelp("Writes of each that are on their way at once.", valueName: "count"))
  var inFlight = 64

  @Option(
    help: ArgumentHelp("Requests a second that the flooded database takes, where it has quotas.", valueName: "count"))
  var quota = 500

  @Option(help: "Hold the server to this processor.")
  var serverCpu: Int?

  @OptionGroup var place: BenchPlace

  func validate() throws {
    guard (1...99).contains(rounds), (1...1_000).contains(sockets), (1...10_000).contains(inFlight), quota > 0 else {
      throw ValidationError("--rounds is 1 to 99, --sockets 1 to 1000, --in-flight 1 to 10000; --quota is more than 0.")
    }
  }

  func run() async throws { Output.line(BenchTable(results: try await results()).text) }

  /// Writing alone, beside a flood, and beside a flood that quotas hold off.
  func results() async throws -> [BenchResult] {
    let server = try BenchServer(program: place.program, cpu: serverCpu, in: place.folder)
    defer { server.stop() }
    return try await Measurements(target: try server.target(), settings: self).all()
  }

  /// The measurements, one after the other, on one server.
  private struct Measurements {
    let target: BenchTarget
    let settings: QuotasBench

    private static let flooded = "flooded"

    func all() async throws -> [BenchResult] {
      try await BenchHTTP.settings(
        .POST, "databases.json", [.init("name", .string(Self.flooded)), .init("rules", .string(BenchTarget.rules))],
        of: target)
      // What is made with the first writes is not measured.
      _ = try await write()
      let alone = try await measured("alone", floods: false)
      let free = try await measured("beside a flood", floods: true)
      try await limit(.int(Int64(settings.quota)))
      let limited = try await measured("beside a flood with quotas", floods: true)
      try await limit(.null)
      return [alone, against(alone, free), against(alone, limited)]
    }

    private func against(_ alone: BenchResult, _ other: BenchResult) -> BenchResult {
      var other = other
      guard let before = alone.latency?.p99, let after = other.latency?.p99, before > 0 else { return other }
      let ratio = Double(after) / Double(before)
      other.note = "p99 × \(Figure.hundredths(ratio)); " + other.note
      return other
    }

    private func measured(_ setup: String, floods: Bool) async throws -> BenchResult {
      var found: [(figures: PacedWrites.Figures, flooded: Flood.Figures?)] = []
      for _ in 0..<settings.rounds {
        guard floods else {
          found.append((try await write(), nil))
          continue
        }
        let flood = Flood(
          target: flooded, sockets: settings.sockets, inFlight: settings.inFlight,
          seconds: Double(settings.pace.time.seconds) + 2
        )
        async let flooding = flood.run()
        // It is under way before the writer begins.
        try await Task.sleep(for: .seconds(1))
        let figures = try await write()
        found.append((figures, try await flooding))
      }
      let middle = found.sorted { $0.figures.latency.p99 < $1.figures.latency.p99 }[found.count / 2]
      var result = BenchResult(name: "\(settings.pace.rate) writes/s", setup: setup, of: middle.figures)
      if let seconds = middle.figures.processorSeconds { result.serverCPU = seconds / middle.figures.seconds }
      if let flood = middle.flooded {
        result.note =
          "flood: \(Figure.grouped(flood.doneEachSecond)) done and \(Figure.grouped(flood.refusedEachSecond)) refused a second"
      }
      return result
    }

    private var flooded: BenchTarget {
      var target = target
      target.namespace = Self.flooded
      return target
    }

    private func write() async throws -> PacedWrites.Figures { try await settings.pace.write(to: target) }

    private func limit(_ max: JSON) async throws {
      try await BenchHTTP.settings(
        .PATCH, "databases/\(Self.flooded).json", [.init("quotas", .object([.init("requestsPerSecond", max)]))],
        of: target)
    }
  }
}
