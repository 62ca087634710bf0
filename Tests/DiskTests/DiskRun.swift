/// Something that lives on a watched disk for a while: what was done to it, what came of that, and what must be there after.
protocol DiskRun {
  /// - Parameter folder: where its files are; empty.
  init(folder: String, disk: WatchedDisk)

  /// Does all of it once; goes on after each failure as a server does.
  mutating func run()

  /// Lets go of the files, as the end of a process does.
  mutating func end()

  /// What was done, in order, and what came of it.
  var outcomes: [(operation: String, outcome: DiskOutcome)] { get }

  /// What was wrong.
  var problems: [String] { get }

  /// What is wrong with what a start finds in a folder; nil when nothing is.
  ///
  /// - Parameter promised: what was promised last before the power went.
  func problem(in folder: String, promised: Int64) -> String?
}

/// What came of an operation.
enum DiskOutcome: String, CaseIterable, Sendable {
  case done
  /// Refused; nothing was written, and the same may be tried again.
  case refused
  /// Nobody knows, and nothing more is written.
  case unknown
  /// Refused because of an earlier one.
  case stopped
}

/// What came of operations under faults, counted.
struct OutcomeTable {
  private var counts: [String: [String: [DiskOutcome: Int]]] = [:]
  /// In the order in which they were first done.
  private var operations: [String] = []

  mutating func add(_ fault: String, _ outcomes: [(operation: String, outcome: DiskOutcome)]) {
    for (operation, outcome) in outcomes {
      if !operations.contains(operation) { operations.append(operation) }
      counts[fault, default: [:]][operation, default: [:]][outcome, default: 0] += 1
    }
  }

  /// A line for each fault and operation.
  var text: String {
    var lines = [
      "fault".padded(25) + "operation".padded(25) + DiskOutcome.allCases.map { $0.rawValue.padded(9) }.joined()
    ]
    for (fault, counts) in counts.sorted(by: { $0.key < $1.key }) {
      for operation in operations {
        guard let outcomes = counts[operation] else { continue }
        let figures = DiskOutcome.allCases.map { "\(outcomes[$0] ?? 0)".padded(9) }.joined()
        lines.append(fault.padded(25) + operation.padded(25) + figures)
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension String {
  fileprivate func padded(_ count: Int) -> String { self + String(repeating: " ", count: max(1, count - self.count)) }
}
