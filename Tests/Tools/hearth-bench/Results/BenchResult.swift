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
