/// The selection of foreign tokens that go to a verifier.
public struct TokenSelection: Sendable, Codable, Equatable {
  /// The issuers of JSON Web Tokens, `iss` as they write it, byte for byte. An entry that ends with `*` matches every
  /// issuer with the given prefix; `*` alone also takes tokens that name no issuer.
  public var issuers: [String]
  /// The prefixes of tokens that are no JSON Web Tokens: `sess_`. The empty text matches all of them.
  public var opaquePrefixes: [String]

  /// Creates a selection; tokens that neither list names are not for the verifier.
  public init(issuers: [String] = [], opaquePrefixes: [String] = []) {
    self.issuers = issuers
    self.opaquePrefixes = opaquePrefixes
  }

  /// The maximum number of entries of each list.
  public static let countMax = 64
  /// The maximum size of an entry, in bytes.
  public static let entryBytesMax = 1_024

  /// A measure of how exactly the selection matches a token; a greater one is more exact.
  public struct Fit: Sendable, Comparable {
    fileprivate var isWhole: Bool
    fileprivate var bytes: Int

    public static func < (left: Fit, right: Fit) -> Bool {
      left.isWhole != right.isWhole ? right.isWhole : left.bytes < right.bytes
    }
  }

  /// Returns how exactly the selection matches a JSON Web Token of that issuer; nil when it does not.
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

  /// Returns how exactly the selection matches a token that is no JSON Web Token; nil when it does not.
  public func fit(opaque token: String) -> Fit? {
    opaquePrefixes.filter { token.utf8.starts(with: $0.utf8) }
      .map { Fit(isWhole: false, bytes: $0.utf8.count) }.max()
  }

  /// Returns an entry that both selections have, which leaves the verifier undecided; nil when there is none.
  public func common(with other: TokenSelection) -> String? {
    issuers.first { entry in other.issuers.contains { $0.utf8.elementsEqual(entry.utf8) } }
      ?? opaquePrefixes.first { entry in other.opaquePrefixes.contains { $0.utf8.elementsEqual(entry.utf8) } }
  }
}
