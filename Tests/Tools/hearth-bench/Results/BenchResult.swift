/// The result of one scenario: a line of the table.
struct BenchResult: Sendable {
  var name: String
  var setup: String
  /// Events a second; ``unit`` names the event.
  var rate: Double?
  var unit = ""
  var latency: LatencySummary?
  var serverBytes: Int?
  /// The average number of processors that the server used.
  var serverCPU: Double?
  var note = ""
}
