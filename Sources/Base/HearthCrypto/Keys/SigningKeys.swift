/// The key pairs for one kind of token: one signs, and all verify.
public struct SigningKeys: Sendable, Redacted {
  struct Entry: Sendable {
    let id: String
    let key: RSAKey
    let privatePEM: [UInt8]
    var state: KeyState
    /// The time of creation in seconds since 1970; nil until a rotation check has set it, because creating a key does
    /// not read the clock.
    var createdAtSeconds: Int64?
    var sinceSeconds: Int64?

    var info: KeyInfo {
      KeyInfo(kid: id, state: state, createdAtSeconds: createdAtSeconds, stateSinceSeconds: sinceSeconds)
    }
  }

  /// The keys, newest first: at most one `next`, exactly one `signing`, then the retired ones.
  let entries: [Entry]
  /// The key that signs.
  let signing: Entry

  /// The `kid` of the key that signs.
  public var signingKeyID: String { signing.id }
  /// The `kid` of every key that verifies, newest first.
  public var keyIDs: [String] { entries.map(\.id) }

  /// Makes one new RSA-2048 pair; takes some 100 ms. OpenSSL generates the key itself; `random` gives its ID.
  ///
  /// - Throws: `RandomnessError` when there are no random bytes.
  public static func generate(random: RandomBytes) throws(RandomnessError) -> SigningKeys {
    let entry = try newEntry(.signing, nowSeconds: nil, random: random)
    return SigningKeys(entries: [entry], signing: entry)
  }

  static func newEntry(
    _ state: KeyState, nowSeconds: Int64?, random: RandomBytes
  ) throws(RandomnessError) -> Entry {
    let id = Digest(sha256: try random.bytes(20)).hex.prefix(40)
    guard let key = RSAKey.generate(), let pem = key.privatePEM() else { throw RandomnessError() }
    return Entry(
      id: String(id), key: key, privatePEM: pem, state: state, createdAtSeconds: nowSeconds, sinceSeconds: nowSeconds)
  }

  private init(entries: [Entry], signing: Entry) {
    self.entries = entries
    self.signing = signing
  }

  /// Creates a set of keys; nil unless the entries are in order (see ``entries``), have different names, and are not
  /// too many.
  init?(entries: [Entry]) {
    let order: [KeyState] = [.next, .signing, .retired]
    let ranks = entries.compactMap { order.firstIndex(of: $0.state) }
    guard ranks == ranks.sorted(), ranks.count(where: { $0 == 0 }) <= 1, ranks.count(where: { $0 == 1 }) == 1,
      entries.count <= TokenLimits.signingKeysMax, Set(entries.map(\.id)).count == entries.count,
      let signing = entries.first(where: { $0.state == .signing })
    else { return nil }
    self.entries = entries
    self.signing = signing
  }

  /// Returns the public key as "BEGIN PUBLIC KEY"; nil for an unknown `kid`.
  public func publicPEM(keyID: String) -> String? {
    guard let pem = key(id: keyID)?.publicPEM() else { return nil }
    return String(decoding: pem, as: UTF8.self)
  }

  /// Returns the key with exactly this ID; nil when there is none.
  func key(id: String) -> RSAKey? { entries.first { $0.id.hasSameBytes(as: id) }?.key }
}
