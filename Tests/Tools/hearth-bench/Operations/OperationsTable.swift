import HearthProgram

/// The times of an operator's commands, and the aims.
struct OperationsTable {
  private var table = TextTable(head: ["operation", "setup", "figure", "aim"])

  /// Adds a row about a time.
  ///
  /// - Parameter aim: The most seconds; nil when there is no aim.
  mutating func add(_ operation: String, _ setup: String, seconds: Double, aim: Double? = nil) {
    table.add([operation, setup, Self.text(seconds), aim.map { "under \(Self.text($0))" } ?? ""])
  }

  /// Adds a row about another figure.
  mutating func add(_ operation: String, _ setup: String, _ figure: String, aim: String = "") {
    table.add([operation, setup, figure, aim])
  }

  var text: String { table.text }

  private static func text(_ seconds: Double) -> String { BenchTable.time(UInt64(max(0, seconds) * 1e9)) }
}
