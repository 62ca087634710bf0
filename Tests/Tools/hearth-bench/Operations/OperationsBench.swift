import ArgumentParser
import HearthProgram
import HearthTransport

/// `hearth-bench operations`: an operator's commands on a running server.
struct OperationsBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operations",
    abstract: "Measure backups, restores and restarts of a large database, reads of its past, and floods.",
    discussion: """
      Starts a server of its own and fills it. Then the commands of an operator run beside it as processes of their own, \
      each timed from its start to its end: a full backup, beside which writes come at a fixed rate whose latencies \
      count from when they were due; the next, incremental backup; verification; a restore. Then the server is started \
      again on its folder. What `history` and `quotas` measure follows; these are commands of their own with more to set. \
      The last column has what is aimed at for a database of 1 GB on a quiet machine of two processors.
      """)

  enum Part: String, CaseIterable, ExpressibleByArgument { case backups, history, flood }

  @Option(parsing: .upToNextOption, help: "What is measured: backups, history, flood.")
  var parts = Part.allCases

  @Option(help: ArgumentHelp("Data in the database, as JSON, in MB.", valueName: "megabytes"))
  var size = 1_000

  @OptionGroup var pace: PaceOptions

  @Option(help: ArgumentHelp("Commits since the last snapshot, for reads of the past.", valueName: "count"))
  var commits = 1_000_000

  @OptionGroup var benchOptions: BenchOptions

  func validate() throws {
    guard (1...100_000).contains(size), (20_000...100_000_000).contains(commits) else {
      throw ValidationError("--size is 1 to 100000, --commits 20000 to 100000000.")
    }
  }

  func run() async throws {
    OpenFiles.raiseLimit()
    var table = OperationsTable()
    if parts.contains(.backups) { try await backups(&table) }
    if parts.contains(.history) { try history(&table) }
    if parts.contains(.flood) { try await flood(&table) }
    Output.line(table.text)
  }

  private func backups(_ table: inout OperationsTable) async throws {
    let program = try benchOptions.program ?? ProgramFile.sibling("hearth")
    let work = try Folder.makeTemporary(in: benchOptions.folder, named: "hearth-bench")
    defer { Folder.remove(work) }
    let server = try BenchServer(program: program, in: benchOptions.folder)
    defer { server.stop() }
    Output.note("filling \(size) MB …")
    let filled = WallClock.monotonicNanoseconds
    try await BenchDataset(megabytes: size).write(to: try server.target())
    table.add("fill", "\(size) MB of JSON over REST", seconds: WallClock.seconds(since: filled))
    let backups = Backups(
      program: program, data: server.folder + "/data", repository: work + "/backups", restored: work + "/restored")
    try await backups.measure(beside: try server.target(), pace: pace, &table)
    Output.note("restarting …")
    var starts: [Double] = []
    for _ in 0..<3 {
      server.end()
      try server.start()
      starts.append(server.readySeconds)
    }
    table.add("restart", "the server's folder, median of \(starts.count)", seconds: Median.of(starts) ?? 0)
  }

  private func history(_ table: inout OperationsTable) throws {
    Output.note("making \(commits) commits …")
    let own = try Folder.makeTemporary(in: benchOptions.folder, named: "hearth-bench")
    defer { Folder.remove(own) }
    var reads = HistoryReads()
    reads.commitCount = commits
    let figures = try reads.run(in: own)
    let setup = "a room of an hour ago, \(NumberFormat.grouped(Double(commits))) commits since the snapshot"
    table.add("history", setup + ", cold", seconds: Double(figures.coldHourAgo) / 1e9, aim: 3)
    table.add("history", setup + ", warm, p99", seconds: Double(figures.warm.p99) / 1e9, aim: 0.05)
  }

  private func flood(_ table: inout OperationsTable) async throws {
    Output.note("flooding …")
    let program = benchOptions.program.map { ["--hearth", $0] } ?? []
    for result in try await QuotasBench.parse(
      ["--folder", benchOptions.folder, "--seconds", "\(pace.time.seconds)"] + program
    ).results() {
      let p99 = result.latency.map { BenchTable.time($0.p99) } ?? ""
      let figure = result.note.isEmpty ? p99 : "\(p99), \(result.note)"
      table.add(
        "flood", "\(result.name) of another database, p99, \(result.setup)", figure,
        aim: QuotasBench.Setup(rawValue: result.setup)?.isAimedAt == true ? "twice as much" : "")
    }
  }
}
