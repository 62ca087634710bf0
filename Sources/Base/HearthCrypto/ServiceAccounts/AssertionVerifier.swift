import Synchronization

/// The content of a service account's verified assertion.
public struct VerifiedAssertion: Sendable, Equatable {
  /// The service account.
  public var email: String
  /// The scopes in the assertion, in its order.
  public var scopes: [String]
}

/// The reason why the server issues no access token for an assertion. Two errors are equal when their codes are.
public struct AssertionError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The `error` codes of a token endpoint.
  public enum Code: String, Sendable, CaseIterable {
    /// The OAuth 2 code for any invalid assertion.
    case invalidGrant = "invalid_grant"
    /// The server could not verify the assertion, which may be valid.
    case unavailable = "unavailable"
  }

  /// The kind of fault; errors are compared by it.
  public var code: Code
  /// A message for the client.
  public var message: String
  /// The exact failure, for the server's log.
  public var reason: String

  static func invalid(_ reason: String) -> AssertionError {
    AssertionError(code: .invalidGrant, message: "Invalid JWT assertion.", reason: reason)
  }

  public var description: String { "\(code.rawValue): \(reason)" }

  public static func == (left: AssertionError, right: AssertionError) -> Bool { left.code == right.code }
}

/// A verifier of the assertions with which service accounts request access tokens (RFC 7523). It requires RS256, this
/// server's audience and a lifetime of at most an hour. Each assertion can be used once; one without `jti` can be used
/// repeatedly for a few seconds. A server has one instance, because it remembers used assertions.
public final class AssertionVerifier: Sendable {
  /// The `aud` that Google's client libraries use, regardless of the token URI in the account's file.
  public static let googleAudience = "https://oauth2.googleapis.com/token"

  /// The time in which an assertion without `jti` may be used again. Google's libraries use none, and all workers of a
  /// back end may start in the same second.
  static let repeatSeconds: Int64 = 10

  private let audiences: Set<[UInt8]>
  private let countMax: Int
  /// The first use of an assertion, and the end of its validity; seconds since 1970.
  private struct Use {
    var first: Int64
    var end: Int64
  }

  /// The used assertions, by SHA-256 of the signed text.
  private let used = Mutex<[Digest: Use]>([:])

  /// - Parameters:
  /// - audiences: This server's own token URIs, which are accepted in addition to ``googleAudience``.
  /// - countMax: The most assertions remembered at a time; further ones are refused until earlier ones have expired.
  public init(audiences: [String], countMax: Int = TokenLimits.assertionsMax) {
    self.audiences = Set((audiences + [Self.googleAudience]).map { Array($0.utf8) })
    self.countMax = max(1, countMax)
  }

  /// - Parameters:
  /// - accounts: The service accounts that are not disabled, with "BEGIN PUBLIC KEY" texts by key ID.
  /// - nowSeconds: The time in seconds since 1970.
  public func verify(
    _ assertion: String, accounts: [(email: String, publicKeys: [String: String])], nowSeconds: Int64
  ) throws(AssertionError) -> VerifiedAssertion {
    let token: UnverifiedToken
    do {
      token = try TokenReader.read(assertion)
    } catch {
      throw .invalid(error.reason)
    }
    let email: String
    switch ServiceAccountSignatureVerifier(accounts: accounts).verify(token) {
    case .accepted(let issuer): email = issuer
    case .unknownAccount: throw .invalid("iss is not a service account")
    case .refused(let reason): throw .invalid(reason)
    case .outOfMemory: throw Self.unavailable("out of memory in OpenSSL")
    }
    let claims = token.payload
    // A `sub` other than the issuer would be a delegation: a service account must not act for a user by an assertion.
    if let subject = claims["sub"] {
      guard subject == .string(email) else { throw .invalid("sub differs from iss") }
    }
    guard let audience = claims["aud"]?.string, audiences.contains(Array(audience.utf8)) else {
      throw .invalid("aud is another service")
    }
    if let problem = ServiceAccountSignatureVerifier.problem(withTimesOf: claims, nowSeconds: nowSeconds) {
      throw .invalid(problem)
    }
    let scopes: [String]
    switch claims["scope"] {
    case nil: scopes = []
    case .string(let text): scopes = text.split(separator: " ").map(String.init)
    default: throw .invalid("scope is not a string")
    }
    guard let end = claims["exp"]?.seconds else { throw .invalid("exp is not a time") }
    // Without `jti`, the processes of one account create the same bytes in the same second.
    try recordUse(
      token, mayRepeat: claims["jti"] == nil, until: end + TokenLimits.foreignClockSkewSeconds, nowSeconds: nowSeconds)
    return VerifiedAssertion(email: email, scopes: scopes)
  }

  /// Remembers an assertion, or throws an error when it was used before. The key is the signed text, which does not
  /// depend on the encoding of the signature; it contains `jti`, or at least issuer and time.
  private func recordUse(
    _ token: UnverifiedToken, mayRepeat: Bool, until end: Int64, nowSeconds: Int64
  ) throws(AssertionError) {
    let digest = Digest(sha256: token.signedBytes)
    try used.withLock { (used) throws(AssertionError) in
      if let use = used[digest] {
        // The verified times limit both values, so the difference cannot overflow.
        guard mayRepeat, (0...Self.repeatSeconds).contains(nowSeconds - use.first) else {
          throw .invalid("the assertion was used before")
        }
        return
      }
      if used.count >= countMax { used = used.filter { nowSeconds < $0.value.end } }
      guard used.count < countMax else { throw Self.unavailable("too many assertions at a time") }
      used[digest] = Use(first: nowSeconds, end: end)
    }
  }

  private static func unavailable(_ reason: String) -> AssertionError {
    AssertionError(code: .unavailable, message: "The assertion could not be checked.", reason: reason)
  }
}
