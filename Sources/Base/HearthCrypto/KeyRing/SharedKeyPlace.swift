/// Where several servers keep the keys and secrets that they have in common: one text, sealed with the sealing key that
/// all of them have. Blocks: not for event loops.
public protocol SharedKeyPlace: Sendable {
  /// What is there; nil when nobody has put anything there yet.
  func read() throws(KeyStoreError) -> String?

  /// Puts another text there.
  ///
  /// - Parameter expected: what was read. When somebody else has put something else there meanwhile, nothing is
  ///   written.
  /// - Returns: whether it was written.
  func write(_ text: String, over expected: String?) throws(KeyStoreError) -> Bool
}

/// Keys that count no more because another server took them away.
public struct LostKeys: Sendable, Equatable {
  /// The names of signing keys.
  public var keyIDs: [String] = []
  /// True when a database secret is among them.
  public var hasSecret = false
}
