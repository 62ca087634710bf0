import Glibc
import Synchronization

/// A file of signing keys, which are created when they are first needed.
///
/// Creating keys takes some 100 ms, during which a server already answers requests. Callers that sign wait for the
/// keys. Callers that verify a token do not wait: a token that is older than the keys cannot have been signed with
/// them.
final class KeyFile: Sendable {
  private let found = Mutex<SigningKeys?>(nil)
  private let shown = Mutex<PublishedKeys?>(nil)
  /// A lock that is held while the keys are created.
  private let making = Mutex(())
  /// The file's path, for errors.
  let path: String
  private let read: @Sendable () throws(KeyStoreError) -> SigningKeys?
  private let make: @Sendable () throws(KeyStoreError) -> SigningKeys
  private let waitsMax: Int

  /// The most times that ``keys()`` checks whether another thread has created the keys; with the wait in between, half
  /// a minute in total, which exceeds the time for one key on the slowest machine.
  private static let waitsMax = 3_000
  private static let waitMicroseconds: UInt32 = 10_000

  /// - Parameters:
  /// - path: The file's path, for errors.
  /// - read: Returns the content; nil when there is no file.
  /// - make: Creates the file, unless another process does so first, and returns its content.
  /// - waitsMax: The most times that ``keys()`` checks while another thread creates the keys.
  init(
    path: String, read: @escaping @Sendable () throws(KeyStoreError) -> SigningKeys?,
    make: @escaping @Sendable () throws(KeyStoreError) -> SigningKeys, waitsMax: Int = KeyFile.waitsMax
  ) {
    self.path = path
    self.read = read
    self.make = make
    self.waitsMax = waitsMax
  }

  /// Creates a file with existing keys.
  convenience init(_ keys: SigningKeys, path: String) {
    self.init(path: path, read: { () throws(KeyStoreError) in keys }, make: { () throws(KeyStoreError) in keys })
  }

  /// The keys that tokens can have been signed with; nil while there are none. Does not wait.
  ///
  /// - Throws: An error when there is a file that cannot be read.
  func keysIfPresent() throws(KeyStoreError) -> SigningKeys? {
    if let keys = found.withLock({ $0 }) { return keys }
    return try read().map(keep)
  }

  /// Returns true when a key of that name is among them. Does not wait.
  func containsKey(_ id: String) -> Bool { ((try? keysIfPresent()) ?? nil)?.key(id: id) != nil }

  /// Returns the keys, which are created when there are none. Blocks while another thread creates them, so it must not
  /// run on an event loop. When they cannot be created, the next call tries again.
  ///
  /// - Throws: An error of the key store; `.unfinished` when the other thread takes too long.
  func keys() throws(KeyStoreError) -> SigningKeys {
    for _ in 0..<waitsMax {
      if let keys = found.withLock({ $0 }) { return keys }
      if let made = try making.withLockIfAvailable({ (_) throws(KeyStoreError) in try loadOrMake() }) { return made }
      usleep(Self.waitMicroseconds)
    }
    throw .unfinished(path: path)
  }

  private func loadOrMake() throws(KeyStoreError) -> SigningKeys {
    if let keys = try keysIfPresent() { return keys }
    return keep(try make())
  }

  /// Caches keys. The first cached keys stay, because verifiers have values derived from them.
  private func keep(_ keys: SigningKeys) -> SigningKeys {
    found.withLock { found in
      if let found { return found }
      found = keys
      return keys
    }
  }

  /// The result of ``keys()`` without the error: nil when the keys cannot be created. Key rotation reports that error
  /// to the operator.
  func keysOrNone() -> SigningKeys? { try? keys() }

  /// The public halves of the keys.
  func published(_ kind: KeyKind) -> PublishedKeys? {
    guard let keys = keysOrNone() else { return nil }
    return shown.withLock { shown in
      let published = shown ?? PublishedKeys(keys, kind: kind)
      shown = published
      return published
    }
  }

  /// Returns true when both files have the same keys in the same states.
  func hasSameKeys(as other: KeyFile) -> Bool {
    self === other || keysOrNone()?.entries.map(\.info) == other.keysOrNone()?.entries.map(\.info)
  }
}
