/// Which tokens of others a verifier is asked about.
public struct TokenSelection: Sendable, Codable, Equatable {
  /// Issuers of JSON Web Tokens, `iss` as they write it, byte for byte. One that ends with `*` stands for all that begin
  /// with what is before it; `*` alone also takes tokens that name no issuer.
  public var issuers: [String]
  /// What tokens begin with that are no JSON Web Tokens: `sess_`. The empty text stands for all of them.
  public var opaquePrefixes: [String]

  /// A selection; tokens that neither list names are not for the verifier.
  public init(issuers: [String] = [], opaquePrefixes: [String] = []) {
    self.issuers = issuers
    self.opaquePrefixes = opaquePrefixes
  }

  /// Entries of each list.
  public static let countMax = 64
  /// Bytes of an entry.
  public static let entryBytesMax = 1_024

  /// How exactly the selection names a token; the greater, the more exactly.
  public struct Fit: Sendable, Comparable {
    fileprivate var isWhole: Bool
    fileprivate var bytes: Int

    public static func < (left: Fit, right: Fit) -> Bool {
      left.isWhole != right.isWhole ? right.isWhole : left.bytes < right.bytes
    }
  }

  /// How the selection names a JSON Web Token of that issuer; nil when it does not.
  ///
  /// - Parameter issuer: empty for a token that names none.
  public func fit(issuer: String) -> Fit? {
    issuers.compactMap { entry -> Fit? in
      guard entry.utf8.last == UInt8(ascii: "*") else {
        return entry.utf8.elementsEqual(issuer.utf8) && !issuer.isEmpty
          ? Fit(isWhole: true, bytes: issuer.utf8.count) : nil
      }
      let prefix = entry.utf8.dropLast()
      return issuer.utf8.starts(with: prefix) ? Fit(isWhole: false, bytes: prefix.count) : nil
    }.max()
  }

  /// How the selection names a token that is no JSON Web Token; nil when it does not.
  public func fit(opaque token: String) -> Fit? {
    opaquePrefixes.filter { token.utf8.starts(with: $0.utf8) }
      .map { Fit(isWhole: false, bytes: $0.utf8.count) }.max()
  }

  /// An entry that both have, so that it could not be said who is asked; nil when there is none.
  public func common(with other: TokenSelection) -> String? {
    issuers.first { entry in other.issuers.contains { $0.utf8.elementsEqual(entry.utf8) } }
      ?? opaquePrefixes.first { entry in other.opaquePrefixes.contains { $0.utf8.elementsEqual(entry.utf8) } }
  }
}
