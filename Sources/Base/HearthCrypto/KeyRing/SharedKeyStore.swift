/// A store of the keys and secrets that several servers share: one text, encrypted with the sealing key that all of
/// them have. Its functions block and must not be called on an event loop.
public protocol SharedKeyStore: Sendable {
  /// Reads the text; nil when there is none yet.
  func read() throws(KeyStoreError) -> String?

  /// Replaces the text.
  ///
  /// - Parameter expected: The text that was read; nil when there was none. When another server has changed it since,
  ///   nothing is written.
  /// - Returns: True when the text was written.
  func write(_ text: String, over expected: String?) throws(KeyStoreError) -> Bool
}

/// Keys that are invalid because another server removed them.
public struct RemovedKeys: Sendable, Equatable {
  /// The names of signing keys.
  public var keyIDs: [String] = []
  /// True when a database secret is among them.
  public var hasSecret = false
}
