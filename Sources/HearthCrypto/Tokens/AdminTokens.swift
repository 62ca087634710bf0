import Synchronization

/// Opaque access tokens of administrators: 256 random bits each, kept as SHA-256 only.
///
/// Looked up by hash, so that neither a comparison's duration nor a copy of this memory gives a token away.
public final class AdminTokens: Sendable {
  /// Whether a token counts for what it was shown for.
  public enum Verdict: Sendable, Equatable {
    /// Counts until then; nil for one without an end.
    case valid(expiresAtSeconds: Int64?)
    /// Was minted here and has ended.
    case expired
    /// Counts, but not for what was asked.
    case outOfScope
    /// Is none of the tokens that this process knows.
    case unknown
  }

  /// Tells secret scanners what they found.
  public static let prefix = "hearth_admin_"

  /// The longest life of a minted token.
  public static let lifetimeSecondsMax: Int64 = 3_600

  private struct Minted {
    /// Seconds since 1970.
    var end: Int64
    /// Whom it was given to: the address of a service account.
    var owner: String?
    var scopes: AdminScopes
  }

  private struct State {
    var minted: [Digest: Minted] = [:]
    var permanent: Set<Digest>
  }

  private let state: Mutex<State>
  private let countMax: Int

  /// - Parameters:
  ///   - permanent: tokens without an end, such as the one in the key store.
  ///   - countMax: minted tokens alive at once; beyond it the one that ends first is forgotten.
  public init(permanent: [String], countMax: Int = TokenLimits.adminTokensMax) {
    state = Mutex(State(permanent: Self.digests(permanent)))
    self.countMax = max(1, countMax)
  }

  private static func digests(_ tokens: [String]) -> Set<Digest> { Set(tokens.map { Digest(sha256: $0.utf8) }) }

  /// These are the tokens without an end from now on; minted ones stay.
  func replacePermanent(_ tokens: [String]) {
    let digests = Self.digests(tokens)
    state.withLock { $0.permanent = digests }
  }

  /// The text of a new token.
  public static func generate(random: RandomBytes) throws(RandomnessError) -> String {
    prefix + Base64URL.encode(try random.bytes(32))
  }

  /// A new token that counts for a while. Only this process knows it.
  ///
  /// - Parameters:
  ///   - lifetimeSeconds: at most `lifetimeSecondsMax`; a longer one is cut.
  ///   - owner: whom it is for, so that all of an owner's can be forgotten at once.
  ///   - scopes: what it opens.
  public func mint(
    nowSeconds: Int64, lifetimeSeconds: Int64 = lifetimeSecondsMax, owner: String? = nil,
    scopes: AdminScopes = .all, random: RandomBytes
  ) throws(RandomnessError) -> String {
    let token = try Self.generate(random: random)
    let digest = Digest(sha256: token.utf8)
    let end = nowSeconds.addingReportingOverflow(min(lifetimeSeconds, Self.lifetimeSecondsMax)).partialValue
    state.withLock { state in
      if state.minted.count >= countMax {
        state.minted = state.minted.filter { nowSeconds < $0.value.end }
        if state.minted.count >= countMax, let first = state.minted.min(by: { $0.value.end < $1.value.end }) {
          state.minted[first.key] = nil
        }
      }
      state.minted[digest] = Minted(end: end, owner: owner, scopes: scopes)
    }
    return token
  }

  /// - Parameters:
  ///   - nowSeconds: seconds since 1970.
  ///   - scope: what it is shown for; a token without an end opens everything.
  public func verify(_ token: String, nowSeconds: Int64, scope: AdminScopes = []) -> Verdict {
    let digest = Digest(sha256: token.utf8)
    let (isPermanent, minted) = state.withLock { ($0.permanent.contains(digest), $0.minted[digest]) }
    if isPermanent { return .valid(expiresAtSeconds: nil) }
    guard let minted else { return .unknown }
    guard nowSeconds < minted.end else { return .expired }
    return minted.scopes.isSuperset(of: scope) ? .valid(expiresAtSeconds: minted.end) : .outOfScope
  }

  /// Whom a minted token was given to; nil for a token without an owner, and for one that is not known.
  public func owner(of token: String) -> String? {
    let digest = Digest(sha256: token.utf8)
    return state.withLock { $0.minted[digest]?.owner }
  }

  /// Forgets a minted token; false when it was not known.
  @discardableResult
  public func revoke(_ token: String) -> Bool {
    state.withLock { $0.minted.removeValue(forKey: Digest(sha256: token.utf8)) != nil }
  }

  /// Forgets every minted token of an owner, and says how many there were.
  @discardableResult
  public func revokeAll(owner: String) -> Int {
    state.withLock { state in
      let before = state.minted.count
      state.minted = state.minted.filter { $0.value.owner != owner }
      return before - state.minted.count
    }
  }
}
