/// The key pairs behind ID tokens: one signs, all verify.
public struct IDTokenKeys: Sendable {
  struct Entry: Sendable {
    let id: String
    let key: RSAKey
    let privatePEM: [UInt8]
  }

  /// Newest first; never empty.
  let entries: [Entry]

  /// `kid` of the key that signs.
  public var signingKeyID: String { entries[0].id }  // never empty, by the initialisers
  /// `kid` of every key that verifies, newest first.
  public var keyIDs: [String] { entries.map(\.id) }

  /// One new RSA-2048 pair; takes some 100 ms. OpenSSL draws the key itself; `random` names it.
  ///
  /// - Throws: `RandomnessError` when either gets no randomness.
  public static func generate(random: RandomBytes) throws(RandomnessError) -> IDTokenKeys {
    let id = Digest(sha256: try random.bytes(20)).hex.prefix(40)
    guard let key = RSAKey.generate(), let pem = key.privatePEM() else { throw RandomnessError() }
    return IDTokenKeys(entries: [Entry(id: String(id), key: key, privatePEM: pem)])
  }

  /// These keys behind a new one that signs from now on. Drop the old ones once their last token has ended.
  public func rotated(random: RandomBytes, keeping keptMax: Int = 3) throws(RandomnessError) -> IDTokenKeys {
    IDTokenKeys(entries: try Self.generate(random: random).entries + entries.prefix(max(0, keptMax)))
  }

  init(entries: [Entry]) { self.entries = entries }

  /// The public half as "BEGIN PUBLIC KEY"; nil for an unknown `kid`.
  public func publicPEM(keyID: String) -> String? {
    guard let pem = key(id: keyID)?.publicPEM() else { return nil }
    return String(decoding: pem, as: UTF8.self)
  }

  /// The key of exactly that name.
  func key(id: String) -> RSAKey? { entries.first { $0.id.hasSameBytes(as: id) }?.key }

  // MARK: Text form
  //
  // For each key, newest first: the line `kid: <40 hexadecimal digits>`, then its PKCS#8 PEM block.

  private static let linePrefix = "kid: "

  var text: String {
    entries.map { Self.linePrefix + $0.id + "\n" + String(decoding: $0.privatePEM, as: UTF8.self) }.joined()
  }

  /// Nil when the text has no key, or anything in it is not as `text` writes it.
  init?(text: String) {
    var entries: [Entry] = []
    var lines = text.split(separator: "\n", omittingEmptySubsequences: true)[...]
    while let first = lines.popFirst() {
      guard first.hasPrefix(Self.linePrefix), let end = lines.firstIndex(where: { $0.hasPrefix("-----END") }) else {
        return nil
      }
      let id = String(first.dropFirst(Self.linePrefix.count))
      let pem = Array((lines[...end].joined(separator: "\n") + "\n").utf8)
      guard id.utf8.count == 40, id.allSatisfy(\.isHexDigit), let key = RSAKey(privatePEM: pem),
        !entries.contains(where: { $0.id == id })
      else { return nil }
      entries.append(Entry(id: id, key: key, privatePEM: pem))
      lines = lines[(end + 1)...]
    }
    guard !entries.isEmpty else { return nil }
    self.entries = entries
  }
}
