import HearthProgram

/// Results as one table of aligned columns.
struct BenchTable {
  var results: [BenchResult]

  var text: String {
    var table = TextTable(head: ["scenario", "setup", "rate", "p50", "p99", "max", "server RSS", "CPU", ""])
    for result in results { table.add(cells(result)) }
    return table.text
  }

  private func cells(_ result: BenchResult) -> [String] {
    [
      result.name, result.setup, result.rate.map { "\(NumberFormat.grouped($0)) \(result.unit)" } ?? "",
      result.latency.map { Self.time($0.p50) } ?? "", result.latency.map { Self.time($0.p99) } ?? "",
      result.latency.map { Self.time($0.max) } ?? "",
      result.serverBytes.map { "\($0 >> 20) MB" } ?? "",
      result.serverCPU.map { "\(Int(($0 * 100).rounded())) %" } ?? "", result.note,
    ]
  }

  static func time(_ nanoseconds: UInt64) -> String {
    switch nanoseconds {
    case ..<1_000: "\(nanoseconds) ns"
    case ..<1_000_000: "\(tenths(nanoseconds, 1_000)) µs"
    case ..<1_000_000_000: "\(tenths(nanoseconds, 1_000_000)) ms"
    default: "\(tenths(nanoseconds, 1_000_000_000)) s"
    }
  }

  private static func tenths(_ value: UInt64, _ unit: UInt64) -> String {
    "\(value / unit).\(value % unit * 10 / unit)"
  }
}
