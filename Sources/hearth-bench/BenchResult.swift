import HearthProgram
import Histogram

/// What one scenario measured: a line of the table.
struct BenchResult: Sendable {
  var name: String
  var setup: String
  /// Events a second, and what an event is.
  var rate: Double?
  var unit = ""
  var latency: LatencySummary?
  var serverBytes: Int?
  /// Processors that the server used on the average.
  var serverCPU: Double?
  var note = ""
}

/// Collects the latencies of a run in an HdrHistogram.
struct LatencyRecorder {
  private var histogram = Histogram<UInt64>(numberOfSignificantValueDigits: .three)

  /// Takes the time from a moment of ``WallClock/monotonicNanoseconds`` until now.
  mutating func record(since started: Int64) {
    histogram.record(UInt64(max(0, WallClock.monotonicNanoseconds - started)))
  }

  var summary: LatencySummary {
    LatencySummary(
      p50: histogram.valueAtPercentile(50), p99: histogram.valueAtPercentile(99), max: histogram.max)
  }
}

/// Latencies in nanoseconds.
struct LatencySummary: Sendable {
  var p50: UInt64
  var p99: UInt64
  var max: UInt64
}

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
      result.name, result.setup, result.rate.map { "\(Figure.grouped($0)) \(result.unit)" } ?? "",
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
