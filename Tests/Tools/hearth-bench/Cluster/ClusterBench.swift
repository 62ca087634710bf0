import ArgumentParser
import HearthProgram
import HearthTransport
import HearthTree

/// The command `hearth-bench cluster`: writes, reads and failovers of a cluster, beside a server with files.
struct ClusterBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster",
    abstract: "Measure three nodes over one PostgreSQL, beside servers by themselves.",
    discussion: """
      Starts a PostgreSQL of Debian's programs, three nodes over it, a server over another database of it, and one with \
      files, all on loopback. Measured are durable writes to one database, in turn for each of them, with the processor time \
      that a write takes; writes to many databases at once, each of which one node owns and its clients are connected to; \
      what a write and a read take through the owner and through another node, one at a time; and how long no write through \
      another node is acknowledged when the owner is killed, and when it gives its databases away. Everything shares this \
      machine's processors and its disk, so ratios count. The last column has what is aimed at.
      """)

  enum Part: String, CaseIterable, ExpressibleByArgument { case writes, latency, failover, move, databases }

  @Option(parsing: .upToNextOption, help: "What is measured: writes, latency, failover, move, databases.")
  var parts = Part.allCases

  @Option(help: ArgumentHelp("Standbys of PostgreSQL, one of which each commit waits for.", valueName: "count"))
  var standbys = 0

  @Option(help: ArgumentHelp("Rounds of the writes; the middle one counts.", valueName: "count"))
  var rounds = 3

  @Option(help: ArgumentHelp("Sockets that write to one database.", valueName: "count"))
  var sockets = 9

  @Option(help: ArgumentHelp("Writes of each that are on their way at once.", valueName: "count"))
  var inFlight = 64

  @Option(help: ArgumentHelp("Databases that are written to together, with two sockets each.", valueName: "count"))
  var databases = 64

  @Option(help: ArgumentHelp("How often the owner is killed, and moved.", valueName: "count"))
  var times = 5

  @OptionGroup var time: BenchTime

  @OptionGroup var benchOptions: BenchOptions

  func validate() throws {
    guard (0...4).contains(standbys), (1...99).contains(rounds), (1...99).contains(times) else {
      throw ValidationError("--standbys is 0 to 4, --rounds and --times 1 to 99.")
    }
    guard (3...3_000).contains(sockets), (1...500).contains(inFlight), (1...1_000).contains(databases) else {
      throw ValidationError("--sockets is 3 to 3000, --in-flight 1 to 500, --databases 1 to 1000.")
    }
  }

  func run() async throws {
    OpenFiles.raiseLimit()
    Output.note("starting PostgreSQL and the servers …")
    let cluster = try BenchCluster(self)
    defer { cluster.stop() }
    var table = ClusterTable()
    if parts.contains(.writes) { try await writes(cluster, &table) }
    if parts.contains(.latency) { try await latency(cluster, &table) }
    if parts.contains(.failover) { try await failover(cluster, &table) }
    if parts.contains(.move) { try await move(cluster, &table) }
    if parts.contains(.databases) { try await databases(cluster, &table) }
    Output.line(table.text)
  }

  // MARK: Writes

  /// The server that receives the writes.
  private enum Setup: String, CaseIterable {
    case embedded = "a server with files"
    case single = "a server over PostgreSQL"
    case owner = "three nodes, clients on the owner"
    case followed = "the same, and the others follow"
    case spread = "three nodes, clients on all of them"
  }

  private func writes(_ cluster: BenchCluster, _ table: inout ClusterTable) async throws {
    let count = cluster.nodes.servers.count
    // A database that is open on its owner alone; that node has few databases and hands none over.
    let maker = (try await cluster.nodes.settledOwner(asking: 0) + 1) % count
    let alone = try await makeDatabase("alone", on: maker, cluster).namespace
    var figures: [Setup: [SpreadWrites.Figures]] = [:]
    for round in 1...rounds {
      for setup in Setup.allCases {
        Output.note("writes, round \(round): \(setup.rawValue) …")
        let name = setup == .owner ? alone : "default"
        // Nodes hand databases to each other, so that all have about the same number.
        let owner = try await cluster.nodes.settledOwner(of: name, asking: setup == .owner ? maker : 0)
        figures[setup, default: []].append(try await writes(setup, to: cluster.nodes.target(owner, name), cluster))
      }
    }
    let middle = figures.mapValues { rounds in rounds.sorted { $0.rate < $1.rate }[rounds.count / 2] }
    guard let embedded = middle[.embedded] else { return }
    for setup in Setup.allCases {
      guard let found = middle[setup] else { continue }
      let isAimedAt = ![.embedded, .single].contains(setup)
      table.add(writes: found, setup.rawValue, beside: embedded, aim: isAimedAt ? "0.5 a core" : "")
    }
  }

  /// Measures writes in one setup.
  ///
  /// - Parameter owned: The database at its owner.
  private func writes(
    _ setup: Setup, to owned: BenchTarget, _ cluster: BenchCluster
  ) async throws -> SpreadWrites.Figures {
    var size = SpreadWrites.Size(sockets: sockets, inFlight: inFlight, seconds: Double(time.seconds))
    switch setup {
    case .embedded:
      return try await SpreadWrites.run(
        [cluster.embedded.target()], size, servers: [cluster.embedded.process], postgres: [])
    case .single:
      return try await SpreadWrites.run(
        [cluster.single.target()], size, servers: [cluster.single.process], postgres: cluster.postgres.processes)
    case .owner, .followed:
      return try await SpreadWrites.run(
        [owned], size, servers: cluster.nodes.processes, postgres: cluster.postgres.processes)
    case .spread:
      size.sockets = sockets / cluster.nodes.servers.count
      return try await SpreadWrites.run(
        cluster.nodes.servers.indices.map { try cluster.nodes.target($0) }, size, servers: cluster.nodes.processes,
        postgres: cluster.postgres.processes)
    }
  }

  /// Makes many databases, each on one of the nodes, which then owns it.
  private func databases(_ cluster: BenchCluster, _ table: inout ClusterTable) async throws {
    Output.note("making \(databases) databases …")
    let nodes = cluster.nodes
    var targets: [BenchTarget] = []
    for number in 0..<databases {
      targets.append(try await makeDatabase("many\(number)", on: number % nodes.servers.count, cluster))
    }
    Output.note("writes to \(databases) databases …")
    let size = SpreadWrites.Size(sockets: 2, inFlight: inFlight, seconds: Double(time.seconds))
    let figures = try await SpreadWrites.run(
      targets, size, servers: nodes.processes, postgres: cluster.postgres.processes)
    table.add(
      writes: figures, "three nodes, \(databases) databases, clients on their owners", beside: nil,
      aim: "20,000 writes/s")
  }

  /// Makes a database at a node, which then owns it.
  private func makeDatabase(_ name: String, on node: Int, _ cluster: BenchCluster) async throws -> BenchTarget {
    try await BenchHTTP.settings(
      .POST, "databases.json", [.init("name", .string(name)), .init("rules", .string(BenchTarget.rules))],
      of: try cluster.nodes.target(node))
    return try cluster.nodes.target(node, name)
  }

  // MARK: Latency

  private func latency(_ cluster: BenchCluster, _ table: inout ClusterTable) async throws {
    let owner = try await cluster.nodes.settledOwner(asking: 0)
    let other = (owner + 1) % cluster.nodes.servers.count
    let targets = [
      try cluster.nodes.target(owner), try cluster.nodes.target(other), try cluster.single.target(),
      try cluster.embedded.target(),
    ]
    for kind in [PairedRequests.Kind.write, .get] {
      Output.note("a \(kind.rawValue) at a time …")
      let found = try await PairedRequests.run(targets, kind, count: 50 * time.seconds)
      let name = "one \(kind.rawValue) at a time"
      table.add(latency: found[3], name, "a server with files")
      table.add(latency: found[2], name, "a server over PostgreSQL")
      table.add(latency: found[0], name, "through the owner")
      table.add(latency: found[1], name, "through another node", beside: found[0], aim: "1 ms more")
    }
  }

  // MARK: Moves

  private func failover(_ cluster: BenchCluster, _ table: inout ClusterTable) async throws {
    var gaps: [Double] = []
    for time in 1...times {
      Output.note("killing the owner, \(time) of \(times) …")
      gaps.append(try await gap(cluster) { owner in cluster.nodes.servers[owner].crash() })
    }
    table.add(gaps: gaps, "the owner is killed", aim: "under 7.0 s")
  }

  private func move(_ cluster: BenchCluster, _ table: inout ClusterTable) async throws {
    var gaps: [Double] = []
    for time in 1...times {
      Output.note("draining the owner, \(time) of \(times) …")
      gaps.append(
        try await gap(cluster) { owner in
          try await cluster.nodes.drain(owner)
          cluster.nodes.servers[owner].end()
        })
    }
    table.add(gaps: gaps, "the owner is drained, and stopped", aim: "under 200 ms")
  }

  /// Measures the time in seconds without an acknowledged write through another node; then restarts the owner.
  private func gap(_ cluster: BenchCluster, ending: (Int) async throws -> Void) async throws -> Double {
    let owner = try await cluster.nodes.settledOwner(asking: 0)
    let other = (owner + 1) % cluster.nodes.servers.count
    let found = try await WriteGap.longest(writingTo: try cluster.nodes.target(other)) { try await ending(owner) }
    try cluster.nodes.servers[owner].start()
    // Gives the node's lease and connections time to become steady.
    try await Task.sleep(for: .seconds(8))
    return found
  }
}

/// The servers of the benchmark.
final class BenchCluster {
  let postgres: BenchPostgres
  let embedded: BenchServer
  let single: BenchServer
  let nodes: BenchNodes

  init(_ bench: ClusterBench) throws {
    let (program, folder) = (bench.benchOptions.program, bench.benchOptions.folder)
    postgres = try BenchPostgres(standbys: bench.standbys, in: folder)
    var started: [BenchServer] = []
    do {
      let (alone, shared) = (try postgres.makeDatabase("alone"), try postgres.makeDatabase("shared"))
      embedded = try BenchServer(program: program, in: folder)
      started.append(embedded)
      single = try BenchServer(program: program, in: folder) { _ in ["--journal", alone] }
      started.append(single)
      nodes = try BenchNodes(3, url: shared, program: program, in: folder)
    } catch {
      for server in started { server.stop() }
      postgres.stop()
      throw error
    }
  }

  func stop() {
    nodes.stop()
    single.stop()
    embedded.stop()
    postgres.stop()
  }
}
