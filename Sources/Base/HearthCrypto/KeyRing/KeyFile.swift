import Glibc
import Synchronization

/// A file of signing keys, which are made at the first need where there are none.
///
/// Making keys takes some 100 ms, and a server answers meanwhile. Callers that sign wait until the keys are there.
/// Callers that verify a token do not wait: a token that was there before the keys cannot have been signed with them.
final class KeyFile: Sendable {
  private let found = Mutex<SigningKeys?>(nil)
  private let shown = Mutex<PublishedKeys?>(nil)
  /// Held while the keys are made.
  private let making = Mutex(())
  /// Where it is, for errors.
  let path: String
  private let read: @Sendable () throws(KeyStoreError) -> SigningKeys?
  private let make: @Sendable () throws(KeyStoreError) -> SigningKeys
  private let waitsMax: Int

  /// How often ``keys()`` looks whether another thread has made them, and how long it waits in between: half a minute
  /// in all, more than one key takes on the slowest machine.
  private static let waitsMax = 3_000
  private static let waitMicroseconds: UInt32 = 10_000

  /// - Parameters:
  ///   - path: where the file is, for errors.
  ///   - read: what it holds; nil when there is none.
  ///   - make: makes it, unless another process does so first; gives what it then holds.
  ///   - waitsMax: how often ``keys()`` looks while another thread makes them.
  init(
    path: String, read: @escaping @Sendable () throws(KeyStoreError) -> SigningKeys?,
    make: @escaping @Sendable () throws(KeyStoreError) -> SigningKeys, waitsMax: Int = KeyFile.waitsMax
  ) {
    self.path = path
    self.read = read
    self.make = make
    self.waitsMax = waitsMax
  }

  /// Keys that are there.
  convenience init(_ keys: SigningKeys, path: String) {
    self.init(path: path, read: { () throws(KeyStoreError) in keys }, make: { () throws(KeyStoreError) in keys })
  }

  /// The keys that tokens can have been signed with; nil while there are none. Does not wait.
  ///
  /// - Throws: when there is a file that cannot be read.
  func keysIfThere() throws(KeyStoreError) -> SigningKeys? {
    if let keys = found.withLock({ $0 }) { return keys }
    return try read().map(keep)
  }

  /// Returns true when a key of that name is among them. Does not wait.
  func holdsKey(_ id: String) -> Bool { ((try? keysIfThere()) ?? nil)?.key(id: id) != nil }

  /// The keys, made when there are none. Waits while another thread makes them: not for an I/O loop. When they cannot
  /// be made, the next caller tries again.
  ///
  /// - Throws: also `.unfinished` when the other thread takes too long.
  func keys() throws(KeyStoreError) -> SigningKeys {
    for _ in 0..<waitsMax {
      if let keys = found.withLock({ $0 }) { return keys }
      if let made = try making.withLockIfAvailable({ (_) throws(KeyStoreError) in try foundOrMade() }) { return made }
      usleep(Self.waitMicroseconds)
    }
    throw .unfinished(path: path)
  }

  private func foundOrMade() throws(KeyStoreError) -> SigningKeys {
    if let keys = try keysIfThere() { return keys }
    return keep(try make())
  }

  /// Remembers keys. The first that are remembered stay, because verifiers hold what they derived from them.
  private func keep(_ keys: SigningKeys) -> SigningKeys {
    found.withLock { found in
      if let found { return found }
      found = keys
      return keys
    }
  }

  /// ``keys()`` without the error: nil when the keys cannot be made. Key rotation reports that error to the operator.
  func keysOrNone() -> SigningKeys? { try? keys() }

  /// Their public halves.
  func published(_ kind: KeyKind) -> PublishedKeys? {
    guard let keys = keysOrNone() else { return nil }
    return shown.withLock { shown in
      let published = shown ?? PublishedKeys(keys, kind: kind)
      shown = published
      return published
    }
  }

  /// Returns true when both hold the same keys in the same states.
  func hasSameKeys(as other: KeyFile) -> Bool {
    self === other || keysOrNone()?.entries.map(\.info) == other.keysOrNone()?.entries.map(\.info)
  }
}
