import ArgumentParser
import HearthProgram
import HearthTransport

/// `hearth-bench larger`: databases that are smaller and larger than the memory for their pages.
struct LargerBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "larger",
    abstract: "Measure reads and writes of databases that are smaller and larger than --cache-size.",
    discussion: """
      For each ratio of data to cache, a server of its own is filled, stopped and started again; then sockets read and \
      write one record at a time, with rules: uniformly, and with 90 percent of requests to 1 percent of the records. \
      Beside it run the programs of --stores, which do the same to another store, in one process and without sockets; \
      `make bench-larger` builds those for LMDB and RocksDB.

      With --memory-group, the server and the stores run in a control group with a limit on memory, the system's cache \
      of files included: 1.25 times --cache-size and 100 MiB. As root.
      """)

  @Option(help: ArgumentHelp("The memory for pages, in MiB.", valueName: "mebibytes"))
  var cacheSize = 64

  @Option(parsing: .upToNextOption, help: "The data as multiples of --cache-size.")
  var ratios = [1, 2, 10]

  @Option(help: "The size of each record as JSON.")
  var payloadBytes = 200

  @Option(help: "Sockets.")
  var connections = 8

  @Option(help: "Requests on their way at once, for each socket.")
  var inFlight = 32

  @Option(help: "How long each load lasts.")
  var seconds = 5.0

  @Option(parsing: .upToNextOption, help: ArgumentHelp("Programs of other stores.", valueName: "files"))
  var stores: [String] = []

  @Option(
    help: ArgumentHelp(
      "A folder of the memory controller in which the control group is made, such as /sys/fs/cgroup/memory.",
      valueName: "dir"))
  var memoryGroup: String?

  @OptionGroup var benchOptions: BenchOptions

  func validate() throws {
    guard (16...1_000_000).contains(cacheSize) else { throw ValidationError("--cache-size must be 16 to 1000000.") }
    guard !ratios.isEmpty, ratios.allSatisfy({ (1...1_000).contains($0) }) else {
      throw ValidationError("--ratios are 1 to 1000.")
    }
    guard (50...100_000).contains(payloadBytes) else { throw ValidationError("--payload-bytes must be 50 to 100000.") }
    guard (1...1_000).contains(connections), (1...10_000).contains(inFlight) else {
      throw ValidationError("--connections must be 1 to 1000, and --in-flight 1 to 10000.")
    }
    try LoadDuration.check(seconds: seconds)
  }

  func run() async throws {
    OpenFiles.raiseLimit()
    let group = try memoryGroup.map { try MemoryGroup(in: $0, limitBytes: (cacheSize << 20) / 4 * 5 + 100 << 20) }
    defer { group?.remove() }
    var results: [BenchResult] = []
    for ratio in ratios {
      // Beside its JSON, a record has a key and a place in a page.
      let records = RecordSet(count: ratio * (cacheSize << 20) / (payloadBytes + 40), sizeBytes: payloadBytes)
      let setup = "data \(ratio) × cache"
      Output.line("running \(setup) …")
      results += try await loadServer(records, setup, in: group)
      for program in stores {
        let store = try StoreProgram(program, records, cacheBytes: cacheSize << 20, in: benchOptions.folder)
        defer { store.remove() }
        try store.fill(in: group)
        for load in RecordLoad.Kind.allCases {
          results.append(try store.run(load, seconds: seconds, setup, in: group))
        }
      }
    }
    Output.line(BenchTable(results: results).text)
  }

  private func loadServer(_ records: RecordSet, _ setup: String, in group: MemoryGroup?) async throws -> [BenchResult] {
    let server = try BenchServer(program: benchOptions.program, in: benchOptions.folder) { _ in
      ["--cache-size", "\(cacheSize)M"]
    }
    defer { server.stop() }
    try group?.add(server.process)
    try await records.fill(try server.target())
    server.end()
    try server.start()
    try group?.add(server.process)
    var results: [BenchResult] = []
    let target = try server.target()
    for kind in RecordLoad.Kind.allCases {
      let before = try await ServerPages(of: target)
      var result = try await BenchLoop.run { loop in
        let load = RecordLoad(
          kind, records, BenchSockets(target: target, loop: loop), connections: connections, inFlight: inFlight,
          seconds: seconds)
        return load.run(setup).assumeIsolated().always { _ in withExtendedLifetime(load) {} }.nonisolated()
      }
      let after = try await ServerPages(of: target)
      result.note = after.text(since: before, operationCount: (result.rate ?? 0) * seconds)
      if results.isEmpty { result.note += "; ready in \(BenchTable.time(UInt64(server.readySeconds * 1e9)))" }
      results.append(result)
    }
    return results
  }
}
