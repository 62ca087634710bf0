import Synchronization

/// A file of signing keys, read at the first need, and made then where there is none.
///
/// Making keys takes some 100 ms, and a server is to answer meanwhile: callers that need them wait until they are
/// there, and others are not held up. When they cannot be made, the next caller tries again.
final class KeyFile: Sendable {
  private let found: Mutex<SigningKeys?>
  private let shown = Mutex<PublishedKeys?>(nil)
  private let open: @Sendable () throws(KeyStoreError) -> SigningKeys

  /// Keys that are there.
  init(_ keys: SigningKeys) {
    found = Mutex(keys)
    open = { () throws(KeyStoreError) in keys }
  }

  /// - Parameter open: reads the file, or makes it.
  init(open: @escaping @Sendable () throws(KeyStoreError) -> SigningKeys) {
    found = Mutex(nil)
    self.open = open
  }

  /// The keys; waits while they are being made.
  func keys() throws(KeyStoreError) -> SigningKeys {
    try found.withLock { (found) throws(KeyStoreError) in
      if let found { return found }
      let opened = try open()
      found = opened
      return opened
    }
  }

  /// The same without the error: nil when the keys cannot be made. Key rotation reports that error to the operator.
  func keysOrNone() -> SigningKeys? { try? keys() }

  /// Their public halves.
  func published(_ kind: KeyKind) -> PublishedKeys? {
    shown.withLock { shown in
      if shown == nil { shown = keysOrNone().map { PublishedKeys($0, kind: kind) } }
      return shown
    }
  }

  /// Whether both hold the same keys in the same states.
  func hasSameKeys(as other: KeyFile) -> Bool {
    self === other || keysOrNone()?.entries.map(\.info) == other.keysOrNone()?.entries.map(\.info)
  }
}
