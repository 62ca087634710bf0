import RandomTestKit

/// The extent of a ``FaultMatrix``.
struct FaultExtent {
  /// The number of disk images for each point of a run.
  var images: Int
  /// The distance between tested points of a run; other seeds test other points.
  var pointStride: Int
  /// The distance between tested calls that may fail.
  var callStride: Int
}

/// A test of files on a disk that fails and loses power, in every combination or in a sample.
struct FaultMatrix<Run: DiskRun> {
  let extent: FaultExtent
  private var random: SeededRandom
  private let folder: DiskFolder
  private let other: DiskFolder
  private(set) var table = OutcomeTable()
  private(set) var imageCount = 0
  private(set) var problems: [String] = []
  /// True when calls cannot be watched on this system.
  private(set) var isImpossible = false

  init(_ extent: FaultExtent, seed: UInt64) throws {
    self.extent = extent
    random = SeededRandom(seed: seed)
    (folder, other) = (try DiskFolder(), try DiskFolder())
  }

  /// Runs once; returns nil when calls cannot be watched.
  private mutating func run(_ fault: WatchedDisk.Fault?, at number: Int) throws -> (Run, WatchedDisk)? {
    try folder.replaceContents([:], of: folder.path)
    var run: Run?
    let disk = WatchedDisk.watch(folder.path, fault, at: number) { disk in
      var life = Run(folder: folder.path, disk: disk)
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

  /// Simulates power failures at points of a run without other faults.
  mutating func losePower() throws {
    guard let (run, disk) = try run(nil, at: 0) else { return }
    report(run, "without a fault")
    try open(run, disk.events, "the power goes", from: 0)
  }

  /// Causes each fault in one call after another, each followed by power failures.
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

  private mutating func report(_ run: Run, _ place: String) {
    problems += run.problems.map { "\(place): \($0)" }
  }

  /// Opens the possible states of the disk, at points from `first` on.
  private mutating func open(_ run: Run, _ events: [DiskEvent], _ place: String, from first: Int) throws {
    var loss = PowerLoss(seed: random.next())
    let stride = first == 0 ? extent.pointStride : 1
    let phase = random.below(stride)
    for (number, event) in events.enumerated() {
      loss.follow(event)
      guard number >= first, number % stride == phase else { continue }
      for image in loss.images(extent.images, &random) {
        imageCount += 1
        try other.replaceContents(image, of: folder.path)
        if let problem = run.problem(in: other.path, promised: loss.promised) {
          problems.append("\(place) after \(number + 1) of \(events.count): \(problem)")
        }
      }
    }
  }
}
