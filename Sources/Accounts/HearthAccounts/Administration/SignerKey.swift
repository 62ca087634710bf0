import HearthCrypto

/// A key that the password hashes of an import need, with its name.
package struct SignerKey: Sendable, Equatable {
  /// The longest key, in bytes.
  package static let sizeBytesMax = 1_024

  /// The name under which hashes refer to it.
  package var id: String
  /// The key itself: 1 to 1,024 bytes.
  package var key: [UInt8]

  /// Creates a key with a derived name: the same key gets the same name on this server, so that batches of one import share it. The
  /// name is derived with a secret of the server, so that it does not help to guess a weak key.
  package init(_ key: [UInt8], secret: [UInt8]) {
    id = String(Digest(sha256: secret + Array("signer key".utf8) + key).hex.prefix(32))
    self.key = key
  }

  /// Creates a key with the name that it has in an export of a Hearth server.
  package init(id: String, key: [UInt8]) {
    self.id = id
    self.key = key
  }
}
