import Synchronization

/// A part of a running server.
protocol ServerPart: Sendable {
  /// Stops it. Parts that were started after it have stopped; those before it still run.
  func stop() async
}

/// The started parts of a server, in order.
final class PartStack: Sendable {
  private let parts = Mutex<[any ServerPart]>([])

  /// Adds a started part, until ``stop()``.
  @discardableResult
  func add<Part: ServerPart>(_ part: Part) -> Part {
    parts.withLock { $0.append(part) }
    return part
  }

  /// Adds a part that some servers do not have.
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
