import HearthBytes
import Synchronization

/// Access tokens of administrators: those of the key store, which do not expire, and those that are issued to service
/// accounts.
///
/// Tokens of the key store are kept and looked up as SHA-256 hashes, so that neither the duration of a comparison nor a
/// copy of the memory reveals one. Issued tokens are not stored: each contains its own expiry, scopes and owner, sealed
/// with the key that all nodes of a cluster have, so that it is valid on all of them.
///
/// ```
/// minted  = prefix base64url(sealed(content))                    the purpose of the seal names the project
/// content = version (1) scopes (1) end (8) generation (8) owner  numbers are big-endian; an empty owner is none
///           a console session's: 0x10 in scopes (0x20 for a viewer, 0x40 when present), its number as generation
/// ```
public final class AdminTokens: Sendable {
  /// The result of a token's verification.
  public enum Verdict: Sendable, Equatable {
    /// The token is valid until a time; nil for a token that does not expire.
    case valid(expiresAtSeconds: Int64?)
    /// The token was minted for this project and has expired.
    case expired
    /// The token is valid, but not for the requested scope.
    case outOfScope
    /// The token is not one of this project.
    case unknown
  }

  /// The service account to which a token was issued. The token is valid as long as the account's tokens have this
  /// generation.
  public struct Owner: Sendable, Equatable {
    /// The address of a service account.
    public var email: String
    /// The generation; see `ServiceAccount.tokenGeneration`.
    public var generation: Int64

    /// Creates an owner of tokens.
    public init(email: String, generation: Int64) { (self.email, self.generation) = (email, generation) }
  }

  /// The holder of a token, with its authority.
  public enum Holder: Sendable, Equatable {
    /// The operator.
    case `operator`
    /// A part of the operator's rights: those of a service account with these scopes.
    case limited(AdminScopes)
    /// A service account.
    case serviceAccount(Owner, AdminScopes)
    /// A session of the console, for requests that the console makes within the server.
    case console(session: UInt64, isViewer: Bool, isPresent: Bool)

    /// The authority of the holder.
    public var authority: Authority {
      switch self {
      case .operator: .operator(name: Self.operatorName)
      case .limited(let scopes): .serviceAccount(email: Self.operatorName, scopes: scopes)
      case .serviceAccount(let owner, let scopes): .serviceAccount(email: owner.email, scopes: scopes)
      case .console(let session, true, _): .consoleViewer(session: session)
      case .console(let session, false, let isPresent): .consoleAdministrator(session: session, isPresent: isPresent)
      }
    }

    private static let operatorName = "admin-token"

    /// The service account; nil for the others.
    public var owner: Owner? { if case .serviceAccount(let owner, _) = self { owner } else { nil } }
  }

  /// The prefix by which secret scanners recognise these tokens.
  public static let prefix = "hearth_admin_"

  /// The longest lifetime of a minted token, in seconds.
  public static let lifetimeSecondsMax: Int64 = 3_600

  private static let version: UInt8 = 1
  /// The size of a token's content without the owner.
  private static let headBytes = 18
  private static let consoleFlag: UInt8 = 0x10
  private static let viewerFlag: UInt8 = 0x20
  private static let presenceFlag: UInt8 = 0x40

  private struct Minted {
    /// The expiry, in seconds since 1970.
    var end: Int64
    var holder: Holder
    var scopes: AdminScopes
  }

  private let permanent: Mutex<Set<Digest>>
  private let key: SealingKey
  private let purpose: String

  /// - Parameters:
  /// - permanent: The tokens that do not expire, such as the one in the key store.
  /// - key: The key that seals minted tokens.
  /// - projectID: The project of the tokens.
  init(permanent: [String], key: SealingKey, projectID: String) {
    self.permanent = Mutex(Self.digests(permanent))
    self.key = key
    purpose = "access token of \(projectID)"
  }

  private static func digests(_ tokens: [String]) -> Set<Digest> { Set(tokens.map { Digest(sha256: $0.utf8) }) }

  /// Replaces the tokens that do not expire; minted ones stay valid.
  func replacePermanent(_ tokens: [String]) {
    let digests = Self.digests(tokens)
    permanent.withLock { $0 = digests }
  }

  /// Generates the text of a token that does not expire.
  public static func generate(random: RandomBytes) throws(RandomnessError) -> String {
    prefix + Base64URL.encode(try random.bytes(32))
  }

  /// Creates a token that expires.
  ///
  /// - Parameters:
  /// - lifetimeSeconds: The lifetime; limited to `lifetimeSecondsMax`.
  /// - owner: The service account that the token is for; nil for the operator, whose token cannot be revoked before it
  ///   expires.
  /// - scopes: The scopes that it grants.
  public func mint(
    nowSeconds: Int64, lifetimeSeconds: Int64 = lifetimeSecondsMax, owner: Owner? = nil,
    scopes: AdminScopes = .all, random: RandomBytes
  ) throws(RandomnessError) -> String {
    try mint(
      UInt8(truncatingIfNeeded: scopes.intersection(.all).rawValue), nowSeconds, lifetimeSeconds,
      number: UInt64(bitPattern: owner?.generation ?? 0), email: owner?.email ?? "", random)
  }

  /// Creates a token for the requests that a console session makes to the server. `isPresent` is true when the user has
  /// confirmed to be present.
  public func mint(
    session: UInt64, isViewer: Bool, isPresent: Bool, nowSeconds: Int64, lifetimeSeconds: Int64, random: RandomBytes
  ) throws(RandomnessError) -> String {
    let flags = Self.consoleFlag | (isViewer ? Self.viewerFlag : 0) | (isPresent ? Self.presenceFlag : 0)
    let scopes = UInt8(truncatingIfNeeded: AdminScopes.all.rawValue)
    return try mint(flags | scopes, nowSeconds, lifetimeSeconds, number: session, email: "", random)
  }

  private func mint(
    _ flags: UInt8, _ nowSeconds: Int64, _ lifetimeSeconds: Int64, number: UInt64, email: String, _ random: RandomBytes
  ) throws(RandomnessError) -> String {
    let end = nowSeconds.addingReportingOverflow(min(lifetimeSeconds, Self.lifetimeSecondsMax)).partialValue
    var content = [Self.version, flags]
    for number in [UInt64(bitPattern: end), number] {
      content += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }
    content += Array(email.utf8)
    return Self.prefix + (try key.sealBare(content, for: purpose, random: random))
  }

  /// Returns the content of a token that was minted for this project; nil for any other text.
  private func minted(_ token: String) -> Minted? {
    guard token.utf8.starts(with: Self.prefix.utf8),
      let content = key.unsealBare(token.utf8.dropFirst(Self.prefix.utf8.count), for: purpose),
      content.count >= Self.headBytes, content[0] == Self.version,
      let email = String(validating: content.dropFirst(Self.headBytes), as: UTF8.self)
    else { return nil }
    let number = { (place: Range<Int>) in content[place].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    let (flags, last) = (content[1], number(10..<18))
    let scopes = AdminScopes(rawValue: Int(flags)).intersection(.all)
    let holder: Holder
    if flags & Self.consoleFlag != 0 {
      holder = .console(
        session: last, isViewer: flags & Self.viewerFlag != 0, isPresent: flags & Self.presenceFlag != 0)
    } else if email.isEmpty {
      holder = scopes == .all ? .operator : .limited(scopes)
    } else {
      holder = .serviceAccount(Owner(email: email, generation: Int64(bitPattern: last)), scopes)
    }
    return Minted(end: Int64(bitPattern: number(2..<10)), holder: holder, scopes: scopes)
  }

  /// Verifies a token, except for its owner: the account store determines whether the owner's tokens are still valid.
  ///
  /// - Parameters:
  /// - nowSeconds: The time in seconds since 1970.
  /// - scope: The requested scope; a token that does not expire grants all.
  public func verify(_ token: String, nowSeconds: Int64, scope: AdminScopes = []) -> Verdict {
    let digest = Digest(sha256: token.utf8)
    if permanent.withLock({ $0.contains(digest) }) { return .valid(expiresAtSeconds: nil) }
    guard let minted = minted(token) else { return .unknown }
    guard nowSeconds < minted.end else { return .expired }
    return minted.scopes.isSuperset(of: scope) ? .valid(expiresAtSeconds: minted.end) : .outOfScope
  }

  /// Returns the holder of a minted token; nil for a token that does not expire, and for an unknown one.
  public func holder(of token: String) -> Holder? { minted(token)?.holder }
}

extension AdminTokens: Redacted {}
