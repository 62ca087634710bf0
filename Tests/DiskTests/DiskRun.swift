/// A run of files on a watched disk: operations, their outcomes, and a check of the final state.
protocol DiskRun {
  /// Creates a run.
  ///
  /// - Parameter folder: The empty folder of its files.
  init(folder: String, disk: WatchedDisk)

  /// Performs all operations once; continues after each failure as a server does.
  mutating func run()

  /// Closes the files, as the end of a process does.
  mutating func end()

  /// The operations in order, with their outcomes.
  var outcomes: [(operation: String, outcome: DiskOutcome)] { get }

  /// Problems that the run found.
  var problems: [String] { get }

  /// Returns a problem with the state that a start finds in a folder, or nil when there is none.
  ///
  /// - Parameter promised: The last acknowledged value before the power failure.
  func problem(in folder: String, promised: Int64) -> String?
}

/// The outcome of an operation.
enum DiskOutcome: String, CaseIterable, Sendable {
  case done
  /// Refused without a write; the operation may be repeated.
  case refused
  /// Unknown; no further writes are made.
  case unknown
  /// Refused because of an earlier failure.
  case stopped
}

/// The numbers of outcomes under faults.
struct OutcomeTable {
  private var counts: [String: [String: [DiskOutcome: Int]]] = [:]
  /// The operations in the order of their first occurrence.
  private var operations: [String] = []

  mutating func add(_ fault: String, _ outcomes: [(operation: String, outcome: DiskOutcome)]) {
    for (operation, outcome) in outcomes {
      if !operations.contains(operation) { operations.append(operation) }
      counts[fault, default: [:]][operation, default: [:]][outcome, default: 0] += 1
    }
  }

  /// The report, with a line for each fault and operation.
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
