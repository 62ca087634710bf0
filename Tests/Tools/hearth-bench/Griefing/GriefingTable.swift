import HearthProgram

/// The honest clients' figures beside each attack, and the aims.
struct GriefingTable {
  /// The figures of one attack by a number of clients.
  struct Row {
    var name: String
    var clients: Int
    var quiet: HonestClients.Figures
    var control: HonestClients.Figures
    var attacked: HonestClients.Figures
    var traffic: AttackTraffic
    var seconds: Double
    var processorShare: Double?

    /// The p99 latency beside the attack, as a multiple of the control's.
    var ratio: Double { Double(attacked.latency.p99) / Double(max(1, control.latency.p99)) }

    /// The main figures, for progress notes.
    var summary: String {
      let times = [control, attacked].map { BenchTable.time($0.latency.p99) }.joined(separator: " → ")
      return "p99 \(times), × \(NumberFormat.hundredths(ratio)), \(NumberFormat.counted(attacked.errors, "error"))"
    }

    /// True when the row is within the aim: for one attacker a multiple and milliseconds, for more of them a multiple.
    var isWithinAim: Bool {
      guard attacked.errors == 0 else { return false }
      if attacked.latency.p99 <= GriefingTable.imperceptibleNanoseconds { return true }
      return clients == 1
        ? ratio <= 3 && attacked.latency.p99 <= GriefingTable.oneClientNanosecondsMax : ratio <= 10
    }
  }

  /// A p99 in nanoseconds that users do not notice, and that is within the aim for any control.
  private static let imperceptibleNanoseconds: UInt64 = 5_000_000
  private static let oneClientNanosecondsMax: UInt64 = 50_000_000

  private var table = TextTable(head: [
    "attack", "clients", "quiet p50", "p99", "control p50", "p99", "attack p50", "p99", "p99 ×", "errors",
    "messages/s", "MB/s", "refused", "closed", "CPU", "aim",
  ])

  /// Adds a row.
  mutating func add(_ row: Row) {
    let latencies = [row.quiet, row.control, row.attacked].flatMap {
      [BenchTable.time($0.latency.p50), BenchTable.time($0.latency.p99)]
    }
    let share = row.processorShare.map { "\(Int(($0 * 100).rounded())) %" } ?? ""
    table.add(
      [row.name, "\(row.clients)"] + latencies + [
        NumberFormat.hundredths(row.ratio), "\(row.attacked.errors)",
        NumberFormat.grouped(Double(row.traffic.messages) / row.seconds),
        NumberFormat.hundredths(Double(row.traffic.bytes) / row.seconds / 1e6), "\(row.traffic.refused)",
        "\(row.traffic.closed)", share, row.isWithinAim ? "within" : "OVER",
      ])
  }

  /// Adds a row for an attack without a measurement.
  mutating func addFailure(_ name: String, clients: Int, _ reason: String) {
    table.add([name, "\(clients)", "not measured: \(reason)"])
  }

  var text: String { table.text }
}
