import ArgumentParser
import HearthProgram
import HearthRules

/// `hearth-bench rules`: the cost of rules decisions, compared with the same rules in Swift.
struct RulesBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Measure decisions of typical rules, plain, counted and traced, against closures written by hand.",
    discussion: """
      In this process, on one processor, without sockets and disks. Each shape is decided by a closure in Swift that does
      what the rules file says, by the rules, by the rules while they count coverage, and by the rules with a trace. The
      closure looks at the same request, path and tree; before anything is measured it has to answer a set of other
      requests as the rules do. The ratio is that of the closure's rate to that of the plain rules. Figures are medians
      of rounds that take turns. Below stands what a decision costs while staged rules are on trial.
      """)

  @Option(help: "How long each way of deciding runs in each round.")
  var roundMilliseconds = 100

  @Option(help: "How often each shape goes through all ways.")
  var rounds = 5

  func validate() throws {
    guard (1...10_000).contains(roundMilliseconds) else {
      throw ValidationError("--round-milliseconds must be 1 to 10000.")
    }
    guard (1...1_000).contains(rounds) else { throw ValidationError("--rounds must be 1 to 1000.") }
  }

  func run() throws {
    var table = TextTable(head: ["rule", "by hand", "rules", "ratio", "coverage on", "tracing on"])
    for shape in try RuleShape.all() {
      let figures = try Figures(shape, rounds: rounds, nanoseconds: Int64(roundMilliseconds) * 1_000_000)
      table.add(
        [
          shape.name, Self.rate(figures.closure), Self.rate(figures.plain),
          Self.tenths(figures.closure / figures.plain),
        ]
          + [Self.rate(figures.counted), Self.rate(figures.traced)])
    }
    Output.line(table.text)
    Output.line("decisions a second; ratio: by hand to rules\n")
    Output.line(try TrialCost(rounds: rounds, nanoseconds: Int64(roundMilliseconds) * 1_000_000).text)
  }

  private static func rate(_ rate: Double) -> String { NumberFormat.grouped(rate) }

  private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

/// The decisions a second of one rule in each form.
private struct Figures {
  var closure = 0.0
  var plain = 0.0
  var counted = 0.0
  var traced = 0.0

  init(_ shape: RuleShape, rounds: Int, nanoseconds: Int64) throws {
    let plain = try RuleSet.compile(shape.rules)
    let (counted, kept) = (plain.counted, plain.withExpressions)
    let ways: [() -> Bool]
    switch shape.sample {
    case .read(let request, let others, let closure):
      try Self.compare(others, closure, shape.name) { plain.refusal(of: $0) == nil }
      ways = [
        { closure(request) }, { plain.refusal(of: request) == nil }, { counted.refusal(of: request) == nil },
        { kept.decideRead(request, detail: .trace).isAllowed },
      ]
    case .write(let request, let others, let closure):
      try Self.compare(others, closure, shape.name) { plain.refusal(of: $0) == nil }
      ways = [
        { closure(request) }, { plain.refusal(of: request) == nil }, { counted.refusal(of: request) == nil },
        { kept.decideWrite(request, detail: .trace).isAllowed },
      ]
    }
    var rates = [[Double]](repeating: [], count: ways.count)
    for _ in 0..<rounds {
      for (way, decide) in ways.enumerated() { rates[way].append(try Self.rate(decide, shape.name, nanoseconds)) }
    }
    let medians = rates.map { Median.of($0) ?? 0 }
    (self.closure, self.plain, self.counted, self.traced) = (medians[0], medians[1], medians[2], medians[3])
  }

  private static func compare<Request>(
    _ requests: [Request], _ closure: (Request) -> Bool, _ name: String, _ rules: (Request) -> Bool
  ) throws {
    for request in requests where closure(request) != rules(request) {
      throw ValidationError("\(name): the closure does not say what the rules say.")
    }
  }

  /// Decides in growing batches until the time is over.
  private static func rate(_ decide: () -> Bool, _ name: String, _ nanoseconds: Int64) throws -> Double {
    var (count, lot, elapsed) = (0, 64, Int64(0))
    let started = WallClock.monotonicNanoseconds
    while elapsed < nanoseconds {
      for _ in 0..<lot where !decide() { throw ValidationError("\(name) was denied: the shape is broken.") }
      count += lot
      lot = min(lot * 2, 65_536)
      elapsed = WallClock.monotonicNanoseconds - started
    }
    return Double(count) / (Double(elapsed) / 1e9)
  }
}
