import Dispatch
import HearthEngine
import HearthTree
import Synchronization

/// Reads of the pages that commands need before they are decided, several at a time: the deciding queue would wait for
/// the disk once for each command.
///
/// It looks up the paths that commands name. What rules read in addition is read when the commands are decided.
final class PagePrefetcher: Sendable {
  /// The number of concurrent reads. Disks answer many at once, and each read blocks its thread.
  static let readsMax = 8
  /// The maximum number of paths of one command that are looked up.
  static let commandPathsMax = 64

  /// The maximum number of paths that are read before commands are decided: others wait for some milliseconds.
  static let missingPathsMax = 256

  /// The readers of all databases of the process.
  static let shared = PagePrefetcher()

  private let queues = (0..<readsMax - 1).map { DispatchQueue(label: "hearth.prefetch.\($0)") }

  /// Looks up the paths of commands in a tree, and reads the missing pages. Blocks meanwhile.
  ///
  /// - Returns: The work of the commands that missed some.
  func run(_ commands: ArraySlice<Command>, in root: Node) -> [ConnectionWork] {
    var missing: [(payer: WorkPayer, path: Path)] = []
    for command in commands where missing.count < Self.missingPathsMax {
      for path in command.action.namedPaths.prefix(Self.commandPathsMax)
      where FaultScope.run(.refuse, { root[path] }).faults.isIncomplete {
        missing.append((WorkPayer(command), path))
      }
    }
    // A single page is read as soon by the command itself.
    guard missing.count > 1 else { return [] }
    let (found, group) = (missing, DispatchGroup())
    let work = Mutex<[ConnectionWork]>([])
    @Sendable func read(from first: Int) {
      let read = stride(from: first, to: found.count, by: Self.readsMax).map { index in
        let count = FaultScope.run(.install) { _ = root[found[index].path] }.faults.count
        // Others wait for a part of the time, because several are read at once.
        return ConnectionWork(found[index].payer, steps: count * EngineLimits.pageReadSteps / Self.readsMax)
      }
      work.withLock { $0 += read }
    }
    for (number, queue) in queues.prefix(found.count - 1).enumerated() {
      queue.async(group: group) { read(from: number + 1) }
    }
    read(from: 0)
    group.wait()
    return work.withLock { $0 }
  }
}
