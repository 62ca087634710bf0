import Foundation
import HearthJournal
import HearthSQLite
import RandomTestKit

/// A journal on a disk that fails and loses power, in every way that there is or in some of them.
struct JournalMatrix {
  /// How much is tried.
  struct Extent {
    /// Images of the disk for each point of a run.
    var images: Int
    /// Of all points of a run, one in so many is looked at; the others with another seed.
    var pointStride: Int
    /// Of all calls that may fail, one in so many does.
    var callStride: Int
  }

  let extent: Extent
  private var random: SeededRandom
  private let folder: DiskFolder
  private let other: DiskFolder
  private(set) var table = OutcomeTable()
  private(set) var imageCount = 0
  private(set) var problems: [String] = []
  /// Calls cannot be watched here.
  private(set) var isImpossible = false

  init(_ extent: Extent, seed: UInt64) throws {
    self.extent = extent
    random = SeededRandom(seed: seed)
    (folder, other) = (try DiskFolder(), try DiskFolder())
  }

  /// One run; nil where calls cannot be watched.
  private mutating func run(
    _ fault: WatchedDisk.Fault?, at number: Int
  ) throws -> (JournalRun, WatchedDisk)? {
    try folder.hold([:], of: folder.path)
    var run: JournalRun?
    let disk = WatchedDisk.watch(folder.path, fault, at: number) { disk in
      var life = JournalRun(path: folder.path + "/j.sqlite", disk: disk)
      life.run()
      life.end()
      run = life
    }
    guard let disk, let run else {
      isImpossible = true
      return nil
    }
    return (run, disk)
  }

  /// The power goes, at points of a run in which nothing fails.
  mutating func losePower() throws {
    guard let (run, disk) = try run(nil, at: 0) else { return }
    report(run, "without a fault")
    try open(run, disk.events, "the power goes", from: 0)
  }

  /// Each fault happens, to one call after another, and then the power goes.
  mutating func fail(_ fault: WatchedDisk.Fault) throws {
    var number = random.below(extent.callStride)
    while true {
      guard let (run, disk) = try run(fault, at: number) else { return }
      guard disk.didHappen else { return }
      report(run, "\(fault.rawValue) \(number)")
      table.add(fault.rawValue, run.outcomes)
      try open(
        run, disk.events, "\(fault.rawValue) \(number), then the power goes", from: max(0, disk.events.count - 1))
      number += 1 + random.below(2 * extent.callStride - 1)
    }
  }

  private mutating func report(_ run: JournalRun, _ place: String) {
    problems += run.problems.map { "\(place): \($0)" }
  }

  /// Opens what the disk may hold, at points from one on.
  private mutating func open(_ run: JournalRun, _ events: [DiskEvent], _ place: String, from first: Int) throws {
    var loss = PowerLoss(seed: random.next())
    let stride = first == 0 ? extent.pointStride : 1
    let phase = random.below(stride)
    for (number, event) in events.enumerated() {
      loss.follow(event)
      guard number >= first, number % stride == phase else { continue }
      for image in loss.images(extent.images, &random) {
        imageCount += 1
        try other.hold(image, of: folder.path)
        if let problem = self.problem(run, loss.promised) {
          problems.append("\(place) after \(number + 1) of \(events.count): \(problem)")
        }
      }
    }
  }

  /// What is wrong with what a start finds.
  private func problem(_ run: JournalRun, _ promised: Int64) -> String? {
    do throws(JournalError) {
      let journal = try SQLiteJournal(path: other.path + "/j.sqlite")
      defer { try? journal.close() }
      let damages = journal.recovery.damages.filter { !$0.isUnfinishedCommit }
      if let damage = damages.first { return "damage is found: \(damage)" }
      return run.problem(try journal.acquire(), promised: promised)
    } catch {
      return "it is refused: \(error)"
    }
  }
}

/// What came of operations under faults, counted.
struct OutcomeTable {
  private var counts: [String: [JournalRun.Operation: [JournalRun.Outcome: Int]]] = [:]

  mutating func add(_ fault: String, _ outcomes: [(JournalRun.Operation, JournalRun.Outcome)]) {
    for (operation, outcome) in outcomes {
      counts[fault, default: [:]][operation, default: [:]][outcome, default: 0] += 1
    }
  }

  /// A line for each fault and operation.
  var text: String {
    var lines = [
      "fault                    operation        " + JournalRun.Outcome.allCases.map { $0.rawValue.padded(9) }.joined()
    ]
    for (fault, operations) in counts.sorted(by: { $0.key < $1.key }) {
      for operation in JournalRun.Operation.allCases {
        guard let outcomes = operations[operation] else { continue }
        let figures = JournalRun.Outcome.allCases.map { "\(outcomes[$0] ?? 0)".padded(9) }.joined()
        lines.append(fault.padded(25) + operation.rawValue.padded(17) + figures)
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension String {
  fileprivate func padded(_ count: Int) -> String { self + String(repeating: " ", count: max(1, count - self.count)) }
}
