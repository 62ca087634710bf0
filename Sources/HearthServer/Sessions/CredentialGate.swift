import HearthCrypto
import HearthEngine
import HearthTree
import HearthWire
import Logging

/// Turns a credential into a ``Caller``: the one place where verified claims become an identity of the engine.
struct CredentialGate: Sendable {
  let verifier: CredentialVerifier

  /// What the caller wants rules to see instead of the credential's own identity.
  enum Override: Sendable {
    case auth(JSON)
    case signedOut
  }

  /// - Parameters:
  ///   - now: one reading of the clocks for the whole request.
  ///   - isFromLoopback: whether the socket's peer is this machine.
  func caller(
    _ token: String, override: Override?, isFromLoopback: Bool, now: Instant
  ) throws(CallerError) -> Caller {
    let nowSeconds = now.wallMilliseconds / 1000
    let verified: VerifiedCredential
    do {
      verified = try verifier.verify(token, nowSeconds: nowSeconds, isFromLoopback: isFromLoopback)
    } catch {
      throw Self.failure(error)
    }
    var auth = verified.authPayload.map(JSON.init)
    var isAdministrator = verified.isAdministrator
    if let override {
      guard isAdministrator else {
        throw .refused(.permissionDenied, text: "Only an administrator may act as somebody else")
      }
      isAdministrator = false
      if case .auth(let other) = override { auth = other } else { auth = nil }
    }
    let identity = Identity(
      auth: auth, isAdministrator: isAdministrator,
      deadlineMonotonicMilliseconds: Self.deadline(verified.expiresAtSeconds, now: now),
      isDebugging: verified.debug)
    var claims: [JSON.Member] = [.init("auth", auth ?? .null)]
    if let expires = verified.expiresAtSeconds { claims.append(.init("expires", .int(expires))) }
    return Caller(identity: identity, claims: .object(claims), isSimulating: verified.simulate)
  }

  private static func failure(_ error: CredentialError) -> CallerError {
    switch error.code {
    case .invalidToken: .refused(.invalidToken, text: error.message)
    case .expiredToken: .refused(.expiredToken, text: error.message)
    case .unavailable: .unavailable(reason: error.reason)
    }
  }

  /// The end of a credential on the monotonic clock, so that setting the wall clock back prolongs nothing.
  private static func deadline(_ expiresAtSeconds: Int64?, now: Instant) -> Int64? {
    guard let expiresAtSeconds else { return nil }
    let (wall, isTooFar) = expiresAtSeconds.multipliedReportingOverflow(by: 1000)
    guard !isTooFar else { return nil }
    let (left, isTooLong) = wall.subtractingReportingOverflow(now.wallMilliseconds)
    guard !isTooLong else { return nil }
    let (deadline, overflow) = now.monotonicMilliseconds.addingReportingOverflow(left)
    return overflow ? nil : deadline
  }
}

extension JSON {
  /// The same value in the words of the tree. Tokens are at most 32 levels deep.
  init(_ claim: ClaimValue) {
    switch claim {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(elements.map(JSON.init))
    case .object(let members): self = .object(members.map { Member($0.name, JSON($0.value)) })
    }
  }
}
