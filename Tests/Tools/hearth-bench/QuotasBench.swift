import ArgumentParser
import HearthProgram
import HearthTree
import NIOHTTP1

/// `hearth-bench quotas`: the latency of a writer beside a flood, with and without quotas.
struct QuotasBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quotas",
    abstract: "Measure what a flood on one database does to the clients of another.",
    discussion: """
      Starts a server of its own with two databases. Somebody writes to one of them at a fixed rate, and latencies count \
      from when a write was due: alone; while clients flood a second server on this machine with writes, all that it \
      takes; while they flood the other database of the same server; and the same with quotas on the flooded database. \
      The last column is the p99 against that of writing alone, and against that beside the second server: flood, writer \
      and servers share this machine's processors and its disk, and what that costs is no server's doing. The middle one \
      of some rounds counts, which are measured in turn.
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

  @OptionGroup var benchOptions: BenchOptions

  func validate() throws {
    guard (1...99).contains(rounds), (1...1_000).contains(sockets), (1...10_000).contains(inFlight), quota > 0 else {
      throw ValidationError("--rounds is 1 to 99, --sockets 1 to 1000, --in-flight 1 to 10000; --quota is more than 0.")
    }
  }

  func run() async throws { Output.line(BenchTable(results: try await results()).text) }

  /// Measures the writer alone, beside a flood of another server, beside a flood of its own server, and beside a flood
  /// that quotas limit.
  func results() async throws -> [BenchResult] {
    let server = try BenchServer(program: benchOptions.program, cpu: serverCpu, in: benchOptions.folder)
    defer { server.stop() }
    let other = try BenchServer(program: benchOptions.program, cpu: serverCpu, in: benchOptions.folder)
    defer { other.stop() }
    return try await Measurements(target: try server.target(), other: try other.target(), settings: self).all()
  }

  /// The load beside the writer.
  enum Setup: String, CaseIterable {
    case alone
    case otherServer = "beside a flood of another server"
    case flood = "beside a flood"
    case quotas = "beside a flood with quotas"

    /// True when an aim limits the effect of this load on the writer.
    var isAimedAt: Bool { self == .flood || self == .quotas }
  }

  /// The figures of one round.
  private struct Round {
    var figures: PacedWrites.Figures
    var flood: Flood.Figures?
  }

  /// The measurements in order.
  private struct Measurements {
    let target: BenchTarget
    /// A second server, which shares only the machine with the first.
    let other: BenchTarget
    let settings: QuotasBench

    private static let flooded = "flooded"

    func all() async throws -> [BenchResult] {
      try await BenchHTTP.settings(
        .POST, "databases.json", [.init("name", .string(Self.flooded)), .init("rules", .string(BenchTarget.rules))],
        of: target)
      // The first writes create caches and rows and are not measured.
      _ = try await write()
      var rounds: [Setup: [Round]] = [:]
      for _ in 0..<settings.rounds {
        for setup in Setup.allCases { rounds[setup, default: []].append(try await round(setup)) }
      }
      return results(rounds.mapValues(middle(of:)))
    }

    private func round(_ setup: Setup) async throws -> Round {
      switch setup {
      case .alone: return Round(figures: try await write())
      case .otherServer: return try await write(besideFloodOf: other)
      case .flood: return try await write(besideFloodOf: flooded)
      case .quotas:
        try await limit(.int(Int64(settings.quota)))
        let round = try await write(besideFloodOf: flooded)
        try await limit(.null)
        return round
      }
    }

    private func write(besideFloodOf database: BenchTarget) async throws -> Round {
      let flood = Flood(
        target: database, sockets: settings.sockets, inFlight: settings.inFlight,
        seconds: Double(settings.pace.time.seconds) + 2)
      async let flooding = flood.run()
      // The flood must be running before the writer begins.
      try await Task.sleep(for: .seconds(1))
      let figures = try await write()
      return Round(figures: figures, flood: try await flooding)
    }

    private func middle(of rounds: [Round]) -> Round {
      rounds.sorted { $0.figures.latency.p99 < $1.figures.latency.p99 }[rounds.count / 2]
    }

    private func results(_ rounds: [Setup: Round]) -> [BenchResult] {
      Setup.allCases.compactMap { setup in
        guard let round = rounds[setup] else { return nil }
        var result = BenchResult(name: "\(settings.pace.rate) writes/s", setup: setup.rawValue, of: round.figures)
        if let seconds = round.figures.processorSeconds { result.serverCPU = seconds / round.figures.seconds }
        guard let flood = round.flood else { return result }
        var notes = [ratio(round, to: rounds[.alone])]
        if setup != .otherServer { notes.append(ratio(round, to: rounds[.otherServer], " of that")) }
        let (done, refused) = (
          NumberFormat.grouped(flood.doneEachSecond), NumberFormat.grouped(flood.refusedEachSecond)
        )
        let ratios = notes.compactMap(\.self).joined(separator: ", ")
        result.note = "\(ratios); flood: \(done) done and \(refused) refused a second"
        return result
      }
    }

    private func ratio(_ round: Round, to other: Round?, _ suffix: String = "") -> String? {
      guard let before = other?.figures.latency.p99, before > 0 else { return nil }
      return "p99 × \(NumberFormat.hundredths(Double(round.figures.latency.p99) / Double(before)))\(suffix)"
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
