import HearthTree

/// Tokens that a verifier vouched for and that count no longer. What is remembered of them is forgotten at once, and who is
/// signed in with one is signed out.
///
/// As JSON `{"tokens":["…"],"uids":["…"]}`, 1,000 of each at most, or `{"everything":true}`.
public struct TokenRevocation: Sendable, Equatable {
  /// Those of these digests; see ``TokenQuestion/digest``.
  public private(set) var digests: Set<String>
  /// Those of these users.
  public private(set) var uids: Set<String>
  /// All of them.
  public private(set) var isEverything: Bool

  /// Tokens, or users, that one message names.
  public static let countMax = 1_000
  /// Tokens, or users, that are held apart; more of them are everything.
  static let mergedMax = 4_096

  /// These tokens.
  public init(digests: Set<String> = [], uids: Set<String> = []) {
    self.digests = digests
    self.uids = uids
    isEverything = false
  }

  /// All tokens of the verifier.
  public static var everything: TokenRevocation {
    var revocation = TokenRevocation()
    revocation.isEverything = true
    return revocation
  }

  /// Reads a message. One that cannot be read in every part means everything: a revocation must not be lost.
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

  /// Adds what another one means. Too much to be held apart becomes everything.
  public mutating func formUnion(_ other: TokenRevocation) {
    digests.formUnion(other.digests)
    uids.formUnion(other.uids)
    isEverything = isEverything || other.isEverything || digests.count > Self.mergedMax || uids.count > Self.mergedMax
    if isEverything { (digests, uids) = ([], []) }
  }

  /// Returns true when it means a token.
  ///
  /// - Parameters:
  ///   - digest: the SHA-256 hash of the token, in hexadecimal.
  ///   - uid: nil where nobody knows yet whose it is.
  public func means(digest: String, uid: String?) -> Bool {
    isEverything || digests.contains(digest) || uid.map { uids.contains($0) } ?? false
  }

  /// Nil for what is no list of texts, or too long a one.
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
