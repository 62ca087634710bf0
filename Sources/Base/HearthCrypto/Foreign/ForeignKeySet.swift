/// The public keys of another server that signs tokens.
public struct ForeignKeySet: Sendable {
  struct Entry: Sendable {
    var id: String?
    var key: ForeignKey
  }

  let entries: [Entry]

  /// Reads a JSON Web Key Set. Keys of other kinds than RSA (2048 bits or more) and P-256, and keys for encryption, are
  /// ignored.
  ///
  /// - Throws: An error when the text is not a JSON Web Key Set, or none of its keys can be used.
  public init(jwks: [UInt8]) throws(ForeignKeySetError) {
    guard jwks.count <= TokenLimits.foreignKeySetBytesMax else { throw ForeignKeySetError(reason: "too long") }
    let document: ClaimValue
    do {
      document = try ClaimValue(json: jwks)
    } catch {
      throw ForeignKeySetError(reason: "not JSON: \(error)")
    }
    guard case .array(let members) = document["keys"] else { throw ForeignKeySetError(reason: "no array named keys") }
    guard members.count <= TokenLimits.foreignKeysMax else { throw ForeignKeySetError(reason: "too many keys") }
    try self.init(members.compactMap { jwk in ForeignKey(jwk: jwk).map { Entry(id: jwk["kid"]?.string, key: $0) } })
  }

  /// Reads "BEGIN CERTIFICATE" or "BEGIN PUBLIC KEY" texts by key ID.
  public init(pems: [String: String]) throws(ForeignKeySetError) {
    guard pems.count <= TokenLimits.foreignKeysMax else { throw ForeignKeySetError(reason: "too many keys") }
    try self.init(pems.compactMap { id, pem in ForeignKey(pem: pem).map { Entry(id: id, key: $0) } })
  }

  private init(_ entries: [Entry]) throws(ForeignKeySetError) {
    guard !entries.isEmpty else { throw ForeignKeySetError(reason: "no usable key") }
    self.entries = entries
  }

  /// Returns true when the set has a key with an ID.
  public func contains(keyID: String) -> Bool { entries.contains { $0.id?.hasSameBytes(as: keyID) ?? false } }

  /// Returns the key for a token's header; nil when there is none. A token without `kid` matches only a set with one
  /// key.
  func key(for header: ClaimValue) -> ForeignKey? {
    switch header["kid"] {
    case nil: entries.count == 1 ? entries[0].key : nil
    case .string(let id): entries.first { $0.id?.hasSameBytes(as: id) ?? false }?.key
    default: nil
    }
  }
}

/// The error for a document that is not a usable set of keys.
public struct ForeignKeySetError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A description of the fault; holds no key.
  public var reason: String
  public var description: String { reason }
}
