import Glibc
import Synchronization

/// A file of signing keys, which are made when they are first needed.
///
/// Making keys takes some 100 ms, and a server answers meanwhile. Callers that sign wait for the keys. Callers that
/// verify a token do not wait: a token that is older than the keys cannot have been signed with them.
final class KeyFile: Sendable {
  private let found = Mutex<SigningKeys?>(nil)
  private let shown = Mutex<PublishedKeys?>(nil)
  /// A lock that is held while the keys are made.
  private let making = Mutex(())
  /// The file's path, for errors.
  let path: String
  private let read: @Sendable () throws(KeyStoreError) -> SigningKeys?
  private let make: @Sendable () throws(KeyStoreError) -> SigningKeys
  private let waitsMax: Int

  /// The number of times that ``keys()`` checks whether another thread has made them, and the wait in between: half a
  /// minute in all, more than one key takes on the slowest machine.
  private static let waitsMax = 3_000
  private static let waitMicroseconds: UInt32 = 10_000

  /// - Parameters:
  ///   - path: the file's path, for errors.
  ///   - read: returns the content; nil when there is no file.
  ///   - make: makes the file, unless another process does so first, and returns its content.
  ///   - waitsMax: the number of times that ``keys()`` checks while another thread makes them.
  init(
    path: String, read: @escaping @Sendable () throws(KeyStoreError) -> SigningKeys?,
    make: @escaping @Sendable () throws(KeyStoreError) -> SigningKeys, waitsMax: Int = KeyFile.waitsMax
  ) {
    self.path = path
    self.read = read
    self.make = make
    self.waitsMax = waitsMax
  }

  /// Makes a file of existing keys.
  convenience init(_ keys: SigningKeys, path: String) {
    self.init(path: path, read: { () throws(KeyStoreError) in keys }, make: { () throws(KeyStoreError) in keys })
  }

  /// The keys that tokens can have been signed with; nil while there are none. Does not wait.
  ///
  /// - Throws: when there is a file that cannot be read.
  func keysIfPresent() throws(KeyStoreError) -> SigningKeys? {
    if let keys = found.withLock({ $0 }) { return keys }
    return try read().map(keep)
  }

  /// Returns true when a key of that name is among them. Does not wait.
  func containsKey(_ id: String) -> Bool { ((try? keysIfPresent()) ?? nil)?.key(id: id) != nil }

  /// The keys, made when there are none. Waits while another thread makes them: not for an I/O loop. When they cannot
  /// be made, the next caller tries again.
  ///
  /// - Throws: also `.unfinished` when the other thread takes too long.
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

  /// Remembers keys. The first that are remembered stay, because verifiers hold values derived from them.
  private func keep(_ keys: SigningKeys) -> SigningKeys {
    found.withLock { found in
      if let found { return found }
      found = keys
      return keys
    }
  }

  /// The result of ``keys()`` without the error: nil when the keys cannot be made. Key rotation reports that error to
  /// the operator.
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

  /// Returns true when both hold the same keys in the same states.
  func hasSameKeys(as other: KeyFile) -> Bool {
    self === other || keysOrNone()?.entries.map(\.info) == other.keysOrNone()?.entries.map(\.info)
  }
}
