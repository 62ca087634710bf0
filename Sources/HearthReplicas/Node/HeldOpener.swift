import NIOCore
import Synchronization

/// What opens databases that other nodes want here, once there is something.
final class HeldOpener: Sendable {
  typealias Open = @Sendable (_ journal: String) -> EventLoopFuture<Void>

  private let open = Mutex<Open?>(nil)

  func set(_ open: @escaping Open) { self.open.withLock { $0 = open } }

  /// Nil while nothing can be opened.
  func callAsFunction(_ journal: String) -> EventLoopFuture<Void>? { open.withLock { $0 }?(journal) }
}
