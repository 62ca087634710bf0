import RandomTestKit

/// How much of a ``FaultMatrix`` is tried.
struct FaultExtent {
  /// Images of the disk for each point of a run.
  var images: Int
  /// Of all points of a run, one in so many is looked at; the others with another seed.
  var pointStride: Int
  /// Of all calls that may fail, one in so many does.
  var callStride: Int
}

/// Files on a disk that fails and loses power, in every way that there is or in some of them.
struct FaultMatrix<Run: DiskRun> {
  let extent: FaultExtent
  private var random: SeededRandom
  private let folder: DiskFolder
  private let other: DiskFolder
  private(set) var table = OutcomeTable()
  private(set) var imageCount = 0
  private(set) var problems: [String] = []
  /// Calls cannot be watched here.
  private(set) var isImpossible = false

  init(_ extent: FaultExtent, seed: UInt64) throws {
    self.extent = extent
    random = SeededRandom(seed: seed)
    (folder, other) = (try DiskFolder(), try DiskFolder())
  }

  /// One run; nil where calls cannot be watched.
  private mutating func run(_ fault: WatchedDisk.Fault?, at number: Int) throws -> (Run, WatchedDisk)? {
    try folder.hold([:], of: folder.path)
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

  private mutating func report(_ run: Run, _ place: String) {
    problems += run.problems.map { "\(place): \($0)" }
  }

  /// Opens what the disk may hold, at points from one on.
  private mutating func open(_ run: Run, _ events: [DiskEvent], _ place: String, from first: Int) throws {
    var loss = PowerLoss(seed: random.next())
    let stride = first == 0 ? extent.pointStride : 1
    let phase = random.below(stride)
    for (number, event) in events.enumerated() {
      loss.follow(event)
      guard number >= first, number % stride == phase else { continue }
      for image in loss.images(extent.images, &random) {
        imageCount += 1
        try other.hold(image, of: folder.path)
        if let problem = run.problem(in: other.path, promised: loss.promised) {
          problems.append("\(place) after \(number + 1) of \(events.count): \(problem)")
        }
      }
    }
  }
}
