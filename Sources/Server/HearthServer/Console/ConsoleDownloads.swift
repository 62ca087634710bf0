import HearthBytes
import HearthCrypto
import HearthTree
import Synchronization

/// Keys for files that the page has the browser fetch: good once, for a minute, in the session and the browser that asked.
///
/// A browser that saves a file sends no header of the page's. So the key stands for the page's half of the session, and the
/// cookie still has to come with it.
final class ConsoleDownloads: Sendable {
  /// What comes before the key.
  static let prefix = "download/"
  static let keySeconds: Int64 = 60
  /// Keys at a time; the oldest go.
  static let keysMax = 64
  /// Files on their way at a time: each holds on to the data as it was.
  static let runningMax = 8

  /// What a key stands for.
  struct Ticket: Sendable {
    var session: UInt64
    var database: String
    var path: Path
    fileprivate var cookie: Digest
    fileprivate var end: Int64
  }

  private struct State {
    /// The oldest first.
    var tickets: [(key: Digest, ticket: Ticket)] = []
    var runningCount = 0
  }

  private let state = Mutex(State())
  private static let keyBytes = 32

  /// - Parameter now: milliseconds on the monotonic clock.
  func makeKey(
    session: UInt64, cookie: String, database: String, path: Path, now: Int64
  ) throws(RandomnessError) -> String {
    let key = Base64URL.encode(try RandomBytes.system.bytes(Self.keyBytes))
    let ticket = Ticket(
      session: session, database: database, path: path, cookie: Digest(sha256: cookie.utf8),
      end: now + Self.keySeconds * 1_000)
    state.withLock { state in
      state.tickets.removeAll { $0.ticket.end <= now }
      if state.tickets.count >= Self.keysMax { state.tickets.removeFirst(state.tickets.count - Self.keysMax + 1) }
      state.tickets.append((Digest(sha256: key.utf8), ticket))
    }
    return key
  }

  /// Uses a key up.
  ///
  /// - Returns: nil for one that never was, is over, was used, or is another browser's.
  func redeem(_ key: Substring, cookie: String, now: Int64) -> Ticket? {
    guard key.utf8.count <= 128, cookie.utf8.count <= 128 else { return nil }
    let (key, cookie) = (Digest(sha256: key.utf8), Digest(sha256: cookie.utf8))
    return state.withLock { state in
      state.tickets.removeAll { $0.ticket.end <= now }
      var found: Int?
      for index in state.tickets.indices where ConstantTime.equal(state.tickets[index].key.bytes, key.bytes) {
        found = index
      }
      guard let found, ConstantTime.equal(state.tickets[found].ticket.cookie.bytes, cookie.bytes) else { return nil }
      return state.tickets.remove(at: found).ticket
    }
  }

  /// Takes a place for a file on its way; false when there is none.
  func enter() -> Bool {
    state.withLock { state in
      guard state.runningCount < Self.runningMax else { return false }
      state.runningCount += 1
      return true
    }
  }

  /// Gives the place back.
  func leave() { state.withLock { $0.runningCount -= 1 } }
}
