import Foundation
import Synchronization

/// Where ``Auth`` keeps who is signed in between runs. Whoever reads it can act as the user.
///
/// Calls come one at a time, on any thread, and must not call ``Auth``.
public protocol AuthSessionStore: Sendable {
  /// What was saved last; nil when there is nothing.
  func load() throws -> Data?
  /// Keeps a session instead of the one before.
  func save(_ session: Data) throws
  /// Forgets the session.
  func clear() throws
}

/// Keeps a session for the life of the process.
public final class MemorySessionStore: AuthSessionStore {
  private let session = Mutex<Data?>(nil)

  /// An empty store.
  public init() {}

  /// What was saved last.
  public func load() throws -> Data? { session.withLock { $0 } }

  /// Keeps a session.
  public func save(_ session: Data) throws { self.session.withLock { $0 = session } }

  /// Forgets the session.
  public func clear() throws { session.withLock { $0 = nil } }
}
