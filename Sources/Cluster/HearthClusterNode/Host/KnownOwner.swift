import Synchronization

/// The known owner of a database, for readers that must not block.
final class KnownOwner: Sendable {
  private let node = Mutex<String?>(nil)

  /// The owner's name; nil when it is unknown.
  var name: String? { node.withLock { $0 } }

  func set(_ name: String?) { node.withLock { $0 = name } }
}
