import Glibc
import HearthProgram

/// The processor time of servers and of their PostgreSQL since this value was created.
struct ProcessorTimes {
  private let servers: [pid_t]
  /// Root processes whose descendants count as well.
  private let trees: [pid_t]
  private let before: (servers: [pid_t: Double], trees: [pid_t: Double])

  init(servers: [pid_t], trees: [pid_t]) {
    (self.servers, self.trees) = (servers, trees)
    before = (Self.times(of: servers), Self.times(of: Self.all(trees)))
  }

  /// The processor seconds since creation, without processes that have ended since.
  var elapsed: (servers: Double, trees: Double) {
    (
      Self.growth(from: before.servers, to: Self.times(of: servers)),
      Self.growth(from: before.trees, to: Self.times(of: Self.all(trees)))
    )
  }

  private static func growth(from before: [pid_t: Double], to now: [pid_t: Double]) -> Double {
    now.reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
  }

  private static func times(of processes: [pid_t]) -> [pid_t: Double] {
    Dictionary(processes.compactMap { id in ServerLoad.processorSeconds(id).map { (id, $0) } }) { first, _ in first }
  }

  private static func all(_ roots: [pid_t]) -> [pid_t] {
    roots.flatMap { [$0] + all(children(of: $0)) }
  }

  private static func children(of process: pid_t) -> [pid_t] {
    let path = "/proc/\(process)/task/\(process)/children"
    return ((try? TextFile.read(path)) ?? "").split(separator: " ").compactMap { pid_t($0) }
  }
}
