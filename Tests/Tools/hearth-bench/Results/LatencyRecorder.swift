import HearthProgram
import Histogram

/// Collects the latencies of a run in an HdrHistogram.
struct LatencyRecorder {
  private var histogram = Histogram<UInt64>(numberOfSignificantValueDigits: .three)

  /// Records the time from a reading of ``WallClock/monotonicNanoseconds`` until now.
  mutating func record(since started: Int64) { record(nanoseconds: WallClock.monotonicNanoseconds - started) }

  /// Records a measured time.
  mutating func record(nanoseconds: Int64) { histogram.record(UInt64(max(0, nanoseconds))) }

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
