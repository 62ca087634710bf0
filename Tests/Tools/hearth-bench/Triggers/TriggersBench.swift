import ArgumentParser
import HearthProgram
import HearthTree
import NIOHTTP1

/// `hearth-bench triggers`: the effect of triggers on writes.
struct TriggersBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "triggers",
    abstract: "Measure how fast events are delivered, and what writes cost beside them.",
    discussion: """
      Starts a server of its own, and a receiver on this machine that takes everything. Delivery is measured of events \
      that wait already, so that nothing but delivery takes time; and beside writes as fast as they are answered. The cost \
      of a write is the server's processor time without triggers, with one about another place, and with one about \
      these writes that is paused. Beside a receiver that refuses every connection writes come at a fixed rate; \
      their latencies count from when they were due.
      """)

  @Option(help: ArgumentHelp("Events of each measurement.", valueName: "count"))
  var events = 20_000

  @Option(help: ArgumentHelp("Places that they are of: events of one place go one at a time.", valueName: "count"))
  var places = 1_000

  @Option(help: ArgumentHelp("The maximum number of events in delivery.", valueName: "count"))
  var concurrency = 64

  @Option(help: "cloudevent, gen1 or webhook.")
  var form = "webhook"

  @Option(help: ArgumentHelp("Writes a second at the fixed rate.", valueName: "count"))
  var rate = 500

  @OptionGroup var benchOptions: BenchOptions

  func validate() throws {
    guard (1...90_000).contains(events), places > 0, (1...64).contains(concurrency), rate > 0 else {
      throw ValidationError("--events is 1 to 90000, --concurrency 1 to 64; --places and --rate are more than 0.")
    }
  }

  func run() async throws {
    let server = try BenchServer(program: benchOptions.program, in: benchOptions.folder)
    defer { server.stop() }
    let counter = try await EventCounter.start()
    let bench = Measurements(target: try server.target(), counter: counter, settings: self)
    Output.line(BenchTable(results: try await bench.all()).text)
    try await counter.stop()
  }

  /// The measurements in order, on one server.
  private struct Measurements {
    let target: BenchTarget
    let counter: EventCounter
    let settings: TriggersBench

    func all() async throws -> [BenchResult] {
      // The first writes create caches and rows and are not measured.
      _ = try await write()
      return [
        cost("no trigger", try await write()), try await beside("another place", path: "/others/{id}"),
        try await beside("a paused one", path: "/items/{id}", isPaused: true), try await waiting(),
        try await live(), paced("no trigger", try await write(rate: settings.rate)), try await dead(),
      ]
    }

    private func write(rate: Int? = nil) async throws -> PacedWrites.Figures {
      try await PacedWrites.run(target, rate: rate, count: settings.events, places: settings.places)
    }

    // MARK: Triggers

    private func add(path: String, port: Int, isPaused: Bool = false) async throws {
      var members: [JSON.Member] = [
        .init("name", .string("bench")), .init("path", .string(path)), .init("on", .string("write")),
        .init("url", .string("http://127.0.0.1:\(port)/")), .init("form", .string(settings.form)),
        .init("concurrency", .int(Int64(settings.concurrency))),
      ]
      if isPaused { members.append(.init("pause", .string("bench"))) }
      try await ask(.POST, ".json", members)
    }

    private func remove() async throws {
      try await ask(.DELETE, "/bench.json")
      try await ask(.DELETE, "/bench/dead.json")
    }

    @discardableResult
    private func ask(_ method: HTTPMethod, _ operation: String, _ members: [JSON.Member]? = nil) async throws -> JSON {
      try await BenchHTTP.settings(method, "triggers" + operation, members, of: target)
    }

    // MARK: Writes

    private func beside(_ setup: String, path: String, isPaused: Bool = false) async throws -> BenchResult {
      try await add(path: path, port: counter.port, isPaused: isPaused)
      let result = cost(setup, try await write())
      try await remove()
      return result
    }

    private func cost(_ setup: String, _ figures: PacedWrites.Figures) -> BenchResult {
      var result = BenchResult(name: "writes", setup: setup, of: figures)
      if let seconds = figures.processorSeconds { result.note = Self.each(seconds, figures.count, "write") }
      return result
    }

    private func paced(_ setup: String, _ figures: PacedWrites.Figures) -> BenchResult {
      var result = cost(setup, figures)
      result.name = "\(settings.rate) writes/s"
      return result
    }

    private func dead() async throws -> BenchResult {
      // No receiver listens on that port.
      try await add(path: "/items/{id}", port: 1)
      let result = paced("a dead receiver", try await write(rate: settings.rate))
      try await remove()
      return result
    }

    // MARK: Events

    private func waiting() async throws -> BenchResult {
      try await add(path: "/items/{id}", port: counter.port, isPaused: true)
      _ = try await write()
      let before = try await counter.read().events
      let (load, started) = (ServerLoad(target), WallClock.monotonicNanoseconds)
      try await ask(.PATCH, "/bench.json", [.init("pause", .null)])
      let last = try await counter.wait(for: before + settings.events, seconds: 300)
      var result = BenchResult(name: "events", setup: "that wait, \(settings.places) places")
      (result.rate, result.unit) = (Double(settings.events) / (Double(last - started) / 1e9), "events/s")
      (result.serverBytes, result.serverCPU) = (load.residentBytes, load.processorShare)
      if let seconds = load.processorSeconds { result.note = Self.each(seconds, settings.events, "event") }
      try await remove()
      return result
    }

    private func live() async throws -> BenchResult {
      try await add(path: "/items/{id}", port: counter.port)
      let before = try await counter.read().events
      let (load, started) = (ServerLoad(target), WallClock.monotonicNanoseconds)
      let figures = try await write()
      let last = try await counter.wait(for: before + settings.events, seconds: 300)
      var result = BenchResult(name: "events", setup: "beside the writes")
      (result.rate, result.unit) = (Double(settings.events) / (Double(last - started) / 1e9), "events/s")
      (result.latency, result.serverBytes) = (figures.latency, load.residentBytes)
      result.serverCPU = load.processorShare
      result.note = "\(NumberFormat.grouped(Double(figures.count) / figures.seconds)) writes/s; latencies are theirs"
      try await remove()
      return result
    }

    private static func each(_ seconds: Double, _ count: Int, _ what: String) -> String {
      "\(Int((seconds / Double(count) * 1e7).rounded()) / 10) µs of processor time a \(what)"
    }
  }
}
