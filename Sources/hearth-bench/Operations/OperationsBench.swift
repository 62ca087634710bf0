import ArgumentParser
import HearthProgram
import HearthTransport

/// `hearth-bench operations`
struct OperationsBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operations",
    abstract: "Measure backups, restores and restarts of a large database.",
    discussion: """
      Starts a server of its own and fills it. Then the commands of an operator run beside it as processes of their own, \
      each timed from its start to its end: a full backup, beside which writes come at a fixed rate whose latencies \
      count from when they were due; the next, incremental backup; verification; a restore. At the end the server is \
      started again on its folder. The last column has what is aimed at for a database of 1 GB on a quiet machine of two \
      processors.
      """)

  @Option(help: ArgumentHelp("Data in the database, as JSON, in MB.", valueName: "megabytes"))
  var size = 1_000

  @Option(help: ArgumentHelp("Writes a second beside the backup.", valueName: "count"))
  var rate = 200

  @Option(help: ArgumentHelp("How long writes are measured without a backup.", valueName: "seconds"))
  var seconds = 10

  @OptionGroup var place: BenchPlace

  func validate() throws {
    guard (1...100_000).contains(size), (1...10_000).contains(rate), (1...600).contains(seconds) else {
      throw ValidationError("--size is 1 to 100000, --rate 1 to 10000, --seconds 1 to 600.")
    }
  }

  func run() async throws {
    OpenFiles.raiseLimit()
    var table = OperationsTable()
    let program = try place.program ?? ProgramFile.sibling("hearth")
    let work = try BenchFolder.make(in: place.folder)
    defer { BenchFolder.remove(work) }
    let server = try BenchServer(program: program, rules: BenchTarget.rules, cpu: nil, in: place.folder)
    defer { server.stop() }
    Output.note("filling \(size) MB …")
    let filled = WallClock.monotonicNanoseconds
    try await BenchFill(megabytes: size).write(to: try server.target())
    table.add("fill", "\(size) MB of JSON over REST", seconds: WallClock.seconds(since: filled))
    let backups = Backups(
      program: program, data: server.folder + "/data", repository: work + "/backups", restored: work + "/restored")
    try await backups.measure(beside: try server.target(), rate: rate, seconds: seconds, &table)
    Output.note("restarting …")
    var starts: [Double] = []
    for _ in 0..<3 {
      server.end()
      try server.start()
      starts.append(server.readySeconds)
    }
    table.add("restart", "the server's folder, median of \(starts.count)", seconds: Median.of(starts) ?? 0)
    Output.line(table.text)
  }
}
