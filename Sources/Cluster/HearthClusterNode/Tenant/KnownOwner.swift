import Synchronization

/// Which node owns a database as far as this one knows, for those who must not wait.
final class KnownOwner: Sendable {
  private let node = Mutex<String?>(nil)

  /// Nil while none is known.
  var name: String? { node.withLock { $0 } }

  func set(_ name: String?) { node.withLock { $0 = name } }
}
