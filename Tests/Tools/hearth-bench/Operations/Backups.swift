import HearthProgram

/// `hearth backup` and `hearth restore` on the folder of a running server.
struct Backups {
  let program: String
  let data: String
  let repository: String
  let restored: String

  /// The most seconds of writes beside a backup, in case it never ends.
  private static let backupSecondsMax = 600

  /// Measures the commands one after the other.
  func measure(beside target: BenchTarget, pace: PaceOptions, _ table: inout OperationsTable) async throws {
    Output.note("writing without a backup …")
    let alone = try await pace.write(to: target)
    Output.note("making a backup …")
    let full = try ChildRun.start(program, ["backup", "create", repository, "--data", data])
    let beside = try await PacedWrites.run(
      target, rate: pace.rate, count: pace.rate * Self.backupSecondsMax, places: 1_000, until: { full.isOver })
    table.add("backup create", "full, beside \(pace.rate) writes/s", seconds: try full.wait(), aim: 20)
    table.add("writes", "p99 without a backup", BenchTable.time(alone.latency.p99))
    table.add(
      "writes", "p99 beside the backup, \(NumberFormat.grouped(Double(beside.count))) writes",
      BenchTable.time(beside.latency.p99), aim: "twice as much")
    table.add(
      "backup create", "incremental, those writes", seconds: try run(["backup", "create", repository, "--data", data]))
    table.add("backup verify", "both", seconds: try run(["backup", "verify", repository]))
    table.add("restore", "the newest", seconds: try run(["restore", repository, "--into", restored]), aim: 60)
  }

  private func run(_ arguments: [String]) throws -> Double {
    Output.note("running hearth \(arguments.prefix(2).joined(separator: " ")) …")
    return try ChildRun.start(program, arguments).wait()
  }
}
