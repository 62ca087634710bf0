import Synchronization

/// A part of a server that runs.
protocol ServerPart: Sendable {
  /// Ends it. Parts that were started after it have ended; those before it still run.
  func stop() async
}

/// The parts of a server that were started, in order.
final class PartStack: Sendable {
  private let parts = Mutex<[any ServerPart]>([])

  /// Keeps a part that was started, until ``stop()``.
  @discardableResult
  func add<Part: ServerPart>(_ part: Part) -> Part {
    parts.withLock { $0.append(part) }
    return part
  }

  /// Keeps a part that some servers do not have.
  @discardableResult
  func add<Part: ServerPart>(_ part: Part?) -> Part? { part.map { add($0) } }

  /// Stops the parts, the last one first.
  func stop() async {
    let started = parts.withLock { parts in
      defer { parts = [] }
      return parts
    }
    for part in started.reversed() { await part.stop() }
  }
}
