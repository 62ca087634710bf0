import HearthDatabase
import HearthTree

/// The topic `pulse`: commits below paths, without their values, and the number of commits a second.
struct CommitsTopic: ConsoleTopic {
  static let name = "pulse"

  /// The paths whose commits are counted.
  let paths: [Path]

  init(_ parameters: [String: String]) throws(ConsoleFailure) {
    let problem = ConsoleFailure(
      .badRequest, "paths must be a JSON array of at most \(CommitCounter.pathsMax) paths.")
    guard let array = parameters["paths"].flatMap({ JSON(parsing: $0.utf8)?.array }),
      (1...CommitCounter.pathsMax).contains(array.count)
    else { throw problem }
    var paths: [Path] = []
    for element in array {
      guard let path = element.string, let location = try? Location(wire: path), !location.isPriority else {
        throw problem
      }
      paths.append(location.path)
    }
    self.paths = paths
  }

  func begin(_ sources: ConsoleTopicSources) throws(ConsoleFailure) -> any ConsoleTopicFeed {
    guard let watch = sources.database.commitCounter.watch(paths) else {
      throw ConsoleFailure(.tooManyRequests, "Too many console pages show this database. Close one and reload.")
    }
    return Feed(sources.database, watch)
  }

  private final class Feed: ConsoleTopicFeed {
    private let database: Database
    private let watch: CommitCountWatch
    /// The position up to which commits were reported.
    private var position: Int64
    /// The positions of the log at the last ticks, the oldest first: a second of them gives the number of writes.
    private var positions: [Int64] = []
    private var lastRate: Int64 = 0

    init(_ database: Database, _ watch: CommitCountWatch) {
      (self.database, self.watch) = (database, watch)
      position = database.published.position
    }

    func tick() {
      positions.append(database.published.position)
      if positions.count > EventText.ticksPerSecond + 1 { positions.removeFirst() }
    }

    func write(to text: inout EventText) {
      guard let newest = positions.last, let oldest = positions.first else { return }
      let counts = watch.take()
      let ticks = Int64(positions.count - 1)
      let rate = ticks > 0 ? (newest - oldest) * Int64(EventText.ticksPerSecond) / ticks : 0
      guard newest != position || rate != lastRate || counts.contains(where: { $0 > 0 }) else { return }
      (position, lastRate) = (newest, rate)
      text.add(
        "pulse",
        ["position": .int(newest), "counts": .array(counts.map { .int(Int64($0)) }), "rate": .int(rate)])
    }

    func end() { database.commitCounter.end(watch) }
  }
}
