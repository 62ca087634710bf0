import HearthTree

/// The revocation of tokens that a verifier had accepted. Their cached answers are dropped at once, and sessions with
/// them are signed out.
///
/// As JSON `{"tokens":["…"],"uids":["…"]}`, 1,000 of each at most, or `{"everything":true}`.
public struct TokenRevocation: Sendable, Equatable {
  /// The digests of revoked tokens; see ``TokenQuestion/digest``.
  public private(set) var digests: Set<String>
  /// The users whose tokens are revoked.
  public private(set) var uids: Set<String>
  /// True when all tokens of the verifier are revoked.
  public private(set) var isEverything: Bool

  /// The maximum number of tokens, or of users, in one message.
  public static let countMax = 1_000
  /// The maximum number of tokens, or of users, in a merged revocation; a larger one becomes a revocation of all.
  static let mergedMax = 4_096

  /// Creates a revocation of these tokens.
  public init(digests: Set<String> = [], uids: Set<String> = []) {
    self.digests = digests
    self.uids = uids
    isEverything = false
  }

  /// A revocation of all tokens of the verifier.
  public static var everything: TokenRevocation {
    var revocation = TokenRevocation()
    revocation.isEverything = true
    return revocation
  }

  /// Reads a message. A message that is not valid in every part revokes all: a revocation must not be lost.
  init(_ json: JSON) {
    self.init()
    guard json["everything"]?.bool != true, let digests = Self.texts(json["tokens"]),
      let uids = Self.texts(json["uids"]), !digests.isEmpty || !uids.isEmpty,
      digests.allSatisfy({ Self.isDigest($0) })
    else {
      isEverything = true
      return
    }
    (self.digests, self.uids) = (digests, uids)
  }

  var json: JSON {
    guard !isEverything else { return ["everything": true] }
    return ["tokens": .array(digests.sorted().map { .string($0) }), "uids": .array(uids.sorted().map { .string($0) })]
  }

  /// Adds another revocation. One that gets too large becomes a revocation of all.
  public mutating func formUnion(_ other: TokenRevocation) {
    digests.formUnion(other.digests)
    uids.formUnion(other.uids)
    isEverything = isEverything || other.isEverything || digests.count > Self.mergedMax || uids.count > Self.mergedMax
    if isEverything { (digests, uids) = ([], []) }
  }

  /// Returns true when a token is revoked.
  ///
  /// - Parameters:
  ///   - digest: the SHA-256 hash of the token, in hexadecimal.
  ///   - uid: the token's user; nil while it is not known.
  public func includes(digest: String, uid: String?) -> Bool {
    isEverything || digests.contains(digest) || uid.map { uids.contains($0) } ?? false
  }

  /// Returns the texts of a list; nil when the value is not a list of texts, or is too long.
  private static func texts(_ json: JSON?) -> Set<String>? {
    guard let json else { return [] }
    guard let elements = json.array, elements.count <= countMax else { return nil }
    let texts = elements.compactMap(\.string)
    return texts.count == elements.count ? Set(texts) : nil
  }

  private static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
