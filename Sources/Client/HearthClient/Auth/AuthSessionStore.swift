import Foundation

/// The store that keeps the session of ``Auth`` between runs of the program. A program that can read its data can act
/// as the user.
///
/// Calls come one at a time, on any thread, and must not call ``Auth``.
public protocol AuthSessionStore: Sendable {
  /// Returns the saved session; nil when there is none.
  func load() throws -> Data?
  /// Saves a session and replaces the previous one.
  func save(_ session: Data) throws
  /// Removes the session.
  func clear() throws
}

/// A store that keeps a session for the life of the process.
public final class MemorySessionStore: AuthSessionStore {
  private let session = LockedValue<Data?>(nil)

  /// Creates an empty store.
  public init() {}

  /// Returns the saved session; nil when there is none.
  public func load() throws -> Data? { session.withLock { $0 } }

  /// Saves a session.
  public func save(_ session: Data) throws { self.session.withLock { $0 = session } }

  /// Removes the session.
  public func clear() throws { session.withLock { $0 = nil } }
}
