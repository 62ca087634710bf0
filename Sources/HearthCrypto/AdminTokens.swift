import Synchronization

/// Opaque access tokens of administrators: 256 random bits each, kept as SHA-256 only.
///
/// Looked up by hash, so that neither a comparison's duration nor a copy of this memory gives a token away.
public final class AdminTokens: Sendable {
  public enum Verdict: Sendable, Equatable {
    /// Counts until then; nil for one without an end.
    case valid(expiresAtSeconds: Int64?)
    case expired
    case unknown
  }

  /// Tells secret scanners what they found.
  public static let prefix = "hearth_admin_"

  /// The longest life of a minted token.
  public static let lifetimeSecondsMax: Int64 = 3_600

  private struct State {
    /// Hash → end in seconds since 1970.
    var ends: [Digest: Int64] = [:]
  }

  private let permanent: Set<Digest>
  private let state = Mutex(State())
  private let countMax: Int

  /// - Parameters:
  ///   - permanent: tokens without an end, such as the one in the key store.
  ///   - countMax: minted tokens alive at once; beyond it the one that ends first is forgotten.
  public init(permanent: [String], countMax: Int = TokenLimits.adminTokensMax) {
    self.permanent = Set(permanent.map { Digest(sha256: $0.utf8) })
    self.countMax = max(1, countMax)
  }

  /// The text of a new token.
  public static func generate(random: RandomBytes) throws(RandomnessError) -> String {
    prefix + Base64URL.encode(try random.bytes(32))
  }

  /// A new token that counts for a while. Only this process knows it.
  ///
  /// - Parameter lifetimeSeconds: at most `lifetimeSecondsMax`; a longer one is cut.
  public func mint(
    nowSeconds: Int64, lifetimeSeconds: Int64 = lifetimeSecondsMax, random: RandomBytes
  ) throws(RandomnessError) -> String {
    let token = try Self.generate(random: random)
    let digest = Digest(sha256: token.utf8)
    let end = nowSeconds.addingReportingOverflow(min(lifetimeSeconds, Self.lifetimeSecondsMax)).partialValue
    state.withLock { state in
      if state.ends.count >= countMax {
        state.ends = state.ends.filter { nowSeconds < $0.value }
        if state.ends.count >= countMax, let first = state.ends.min(by: { $0.value < $1.value }) {
          state.ends[first.key] = nil
        }
      }
      state.ends[digest] = end
    }
    return token
  }

  public func verify(_ token: String, nowSeconds: Int64) -> Verdict {
    let digest = Digest(sha256: token.utf8)
    if permanent.contains(digest) { return .valid(expiresAtSeconds: nil) }
    guard let end = state.withLock({ $0.ends[digest] }) else { return .unknown }
    return nowSeconds < end ? .valid(expiresAtSeconds: end) : .expired
  }

  /// Forgets a minted token; false when it was not known.
  @discardableResult
  public func revoke(_ token: String) -> Bool {
    state.withLock { $0.ends.removeValue(forKey: Digest(sha256: token.utf8)) != nil }
  }
}
