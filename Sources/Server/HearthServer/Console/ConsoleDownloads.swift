import HearthBytes
import HearthConsole
import HearthCrypto
import HearthTree
import Synchronization

/// The keys for files that the page makes the browser download: valid once, for a minute, in the session and the
/// browser that requested them.
///
/// A browser that saves a file sends no header of the page's. So the key replaces the page's half of the session, and
/// the cookie still has to come with it.
final class ConsoleDownloads: Sendable {
  /// The path before the key.
  static let prefix = "download/"
  static let keySeconds: Int64 = 60
  /// The maximum number of keys; the oldest are dropped.
  static let keysMax = 64
  /// The maximum number of keys of one person, whose oldest are dropped before those of others.
  static let keysPerPersonMax = 32
  /// The maximum number of concurrent downloads: each keeps a snapshot of the data in memory.
  static let runningMax = 8
  /// The maximum number of concurrent downloads of one person, so that one cannot lock the others out.
  static let runningPerPersonMax = 4

  /// The file that a key is for.
  struct PendingDownload: Sendable {
    var session: UInt64
    var person: ConsolePerson
    var database: String
    var path: Path
    fileprivate var cookie: Digest
    fileprivate var end: Int64
  }

  private struct State {
    /// The unused keys, the oldest first.
    var pendingDownloads: [(key: Digest, pendingDownload: PendingDownload)] = []
    /// The downloads under way, by person.
    var running: [ConsolePerson: Int] = [:]
  }

  private let state = Mutex(State())
  private static let keyBytes = 32

  /// Makes a key.
  ///
  /// - Parameter now: milliseconds on the monotonic clock.
  func makeKey(
    session: ConsoleSession, cookie: String, database: String, path: Path, now: Int64
  ) throws(RandomnessError) -> String {
    let key = Base64URL.encode(try RandomBytes.system.bytes(Self.keyBytes))
    let pendingDownload = PendingDownload(
      session: session.id, person: session.person, database: database, path: path,
      cookie: Digest(sha256: cookie.utf8), end: now + Self.keySeconds * 1_000)
    state.withLock { state in
      state.pendingDownloads.removeAll { $0.pendingDownload.end <= now }
      let own = state.pendingDownloads.indices.filter {
        state.pendingDownloads[$0].pendingDownload.person == pendingDownload.person
      }
      if let oldest = own.first, own.count >= Self.keysPerPersonMax { state.pendingDownloads.remove(at: oldest) }
      if state.pendingDownloads.count >= Self.keysMax {
        state.pendingDownloads.removeFirst(state.pendingDownloads.count - Self.keysMax + 1)
      }
      state.pendingDownloads.append((Digest(sha256: key.utf8), pendingDownload))
    }
    return key
  }

  /// Uses a key up.
  ///
  /// - Returns: nil for a key that is unknown, expired, used, or another browser's.
  func redeem(_ key: Substring, cookie: String, now: Int64) -> PendingDownload? {
    guard key.utf8.count <= 128, cookie.utf8.count <= 128 else { return nil }
    let (key, cookie) = (Digest(sha256: key.utf8), Digest(sha256: cookie.utf8))
    return state.withLock { state in
      state.pendingDownloads.removeAll { $0.pendingDownload.end <= now }
      var found: Int?
      for index in state.pendingDownloads.indices
      where ConstantTime.equal(state.pendingDownloads[index].key.bytes, key.bytes) {
        found = index
      }
      guard let found, ConstantTime.equal(state.pendingDownloads[found].pendingDownload.cookie.bytes, cookie.bytes)
      else { return nil }
      return state.pendingDownloads.remove(at: found).pendingDownload
    }
  }

  /// Takes a slot for a download; returns false when there is none.
  func enter(_ person: ConsolePerson) -> Bool {
    state.withLock { state in
      guard state.running.values.reduce(0, +) < Self.runningMax,
        state.running[person, default: 0] < Self.runningPerPersonMax
      else { return false }
      state.running[person, default: 0] += 1
      return true
    }
  }

  /// Frees the slot.
  func leave(_ person: ConsolePerson) {
    state.withLock { $0.running.release(person) }
  }
}
