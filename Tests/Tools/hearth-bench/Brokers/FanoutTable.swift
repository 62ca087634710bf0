import HearthProgram

/// The medians of the rounds for each server.
struct FanoutTable {
  private let names: [String]
  private let inFlight: [Int]
  private var figures: [Key: [FanoutFigures]] = [:]

  private struct Key: Hashable {
    var name: String
    var inFlight: Int
  }

  init(names: [String], inFlight: [Int]) {
    self.names = names
    self.inFlight = inFlight
  }

  mutating func add(_ figure: FanoutFigures, of name: String, inFlight: Int) {
    figures[Key(name: name, inFlight: inFlight), default: []].append(figure)
  }

  var text: String {
    var table = TextTable(head: [
      "in flight", "server", "processor time a delivery", "of the rounds", "rate", "p50", "p99", "CPU", "RSS",
    ])
    for number in inFlight {
      for name in names {
        guard let rounds = figures[Key(name: name, inFlight: number)], !rounds.isEmpty else { continue }
        table.add(cells(number, name, rounds))
      }
    }
    return table.text
  }

  private func cells(_ inFlight: Int, _ name: String, _ rounds: [FanoutFigures]) -> [String] {
    let times = rounds.compactMap(\.processorMicroseconds)
    let shares = rounds.compactMap { figure in figure.processorSeconds.map { $0 / figure.seconds } }
    return [
      "\(inFlight)", name, Median.of(times).map { "\(NumberFormat.hundredths($0)) µs" } ?? "",
      times.isEmpty
        ? "" : "\(NumberFormat.hundredths(times.min() ?? 0)) to \(NumberFormat.hundredths(times.max() ?? 0))",
      Median.of(rounds.map(\.rate)).map { "\(NumberFormat.grouped($0)) deliveries/s" } ?? "",
      Median.of(rounds.map { Double($0.latency.p50) }).map { BenchTable.time(UInt64($0)) } ?? "",
      Median.of(rounds.map { Double($0.latency.p99) }).map { BenchTable.time(UInt64($0)) } ?? "",
      Median.of(shares).map { "\(Int(($0 * 100).rounded())) %" } ?? "",
      Median.of(rounds.compactMap { $0.residentBytes.map(Double.init) }).map { "\(Int($0) >> 20) MB" } ?? "",
    ]
  }
}
