import HearthProgram

/// The results of the cluster benchmark as one table.
struct ClusterTable {
  private var table = TextTable(head: [
    "what", "setup", "figure", "p50", "p99", "processor a write", "and PostgreSQL's", "writes a core, beside files",
    "aim",
  ])

  var text: String { table.text }

  /// Adds a row about many writes.
  ///
  /// - Parameter embedded: Figures to compare the writes per processor second with.
  mutating func add(
    writes: SpreadWrites.Figures, _ setup: String, beside embedded: SpreadWrites.Figures?, aim: String
  ) {
    var ratio = ""
    if let embedded {
      let servers = embedded.serverMicroseconds / writes.serverMicroseconds
      let all =
        embedded.serverMicroseconds / (writes.serverMicroseconds + writes.postgresMicroseconds)
      ratio = "\(NumberFormat.hundredths(servers)), with PostgreSQL \(NumberFormat.hundredths(all))"
    }
    table.add([
      "durable writes", setup, "\(NumberFormat.grouped(writes.rate)) writes/s", BenchTable.time(writes.latency.p50),
      BenchTable.time(writes.latency.p99), "\(NumberFormat.hundredths(writes.serverMicroseconds)) µs",
      writes.postgresSeconds == 0 ? "" : "\(NumberFormat.hundredths(writes.postgresMicroseconds)) µs", ratio, aim,
    ])
  }

  /// Adds a row about single requests.
  ///
  /// - Parameter other: Figures to compare the median with.
  mutating func add(
    latency: LatencySummary, _ name: String, _ setup: String, beside other: LatencySummary? = nil, aim: String = ""
  ) {
    var figure = ""
    if let other {
      let (more, less) = (latency.p50 >= other.p50, max(latency.p50, other.p50) - min(latency.p50, other.p50))
      figure = "p50 \(BenchTable.time(less)) \(more ? "more" : "less")"
    }
    table.add([name, setup, figure, BenchTable.time(latency.p50), BenchTable.time(latency.p99), "", "", "", aim])
  }

  /// Adds a row about intervals without acknowledged writes, in seconds.
  mutating func add(gaps: [Double], _ setup: String, aim: String) {
    func text(_ seconds: Double) -> String { BenchTable.time(UInt64(seconds * 1e9)) }
    let all = gaps.sorted().map(text).joined(separator: ", ")
    table.add(["no write acknowledged", setup, all, Median.of(gaps).map(text) ?? "", "", "", "", "", aim])
  }
}
