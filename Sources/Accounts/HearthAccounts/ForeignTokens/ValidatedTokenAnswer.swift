import HearthCrypto
import HearthPlugin

/// A verifier's answer, checked against the rules for tokens.
struct ValidatedTokenAnswer: Sendable, Equatable {
  var outcome: ForeignTokenOutcome
  /// The time for which the answer may be cached.
  var cacheMilliseconds: Int64

  /// - Parameters:
  ///   - answer: the verifier's answer; nil when it did not answer.
  ///   - voucher: the verifier and the token.
  init(_ answer: TokenAnswer?, by voucher: TokenVoucher, nowSeconds: Int64) {
    switch answer {
    case nil: self.init(.undecided("did not decide"), cacheSeconds: 0)
    case .refused(let refusal)?:
      self.init(.refused(refusal.reason == .expired ? .expired : .invalid), cacheSeconds: refusal.cacheSeconds)
    case .verified(let token)?:
      do throws(AccountError) {
        let subject = try ForeignTokenSubject(token, nowSeconds: nowSeconds)
        guard subject.expiresAtSeconds > nowSeconds else {
          self.init(.refused(.expired), cacheSeconds: token.cacheSeconds)
          return
        }
        var voucher = voucher
        voucher.databases = token.databases
        // An answer is not cached past the token's end.
        self.init(
          .accepted(VerifiedCredential(subject, voucher: voucher)),
          cacheSeconds: min(token.cacheSeconds, subject.expiresAtSeconds - nowSeconds))
      } catch {
        let what = error.detail.map { "\(error.code.rawValue): \($0)" } ?? error.code.rawValue
        self.init(.undecided("returned an unusable response: \(PlainText.line(what, lengthMax: 200))"), cacheSeconds: 0)
      }
    }
  }

  private init(_ outcome: ForeignTokenOutcome, cacheSeconds: Int64) {
    self.outcome = outcome
    cacheMilliseconds = min(max(0, cacheSeconds), ForeignTokenLimits.cacheSecondsMax) * 1_000
  }
}

extension ForeignTokenSubject {
  /// - Throws: `missingIdentifier` for an invalid uid; `invalidArgument` for an invalid sign-in provider or time; the
  ///   errors of ``SessionClaims/read(_:)``.
  init(_ token: VerifiedToken, nowSeconds: Int64) throws(AccountError) {
    guard UserRecord.isUID(token.uid) else { throw AccountError(.missingIdentifier) }
    let provider = token.signInProvider ?? ProviderID.custom
    // A trusted issuer names its own providers, as this server does.
    guard token.tokenClaims != nil || Self.isProvider(provider) else {
      throw AccountError(.invalidArgument, "signInProvider")
    }
    let end = token.expiresAtSeconds ?? nowSeconds + ForeignTokenLimits.lifetimeSecondsDefault
    guard Self.isTime(end), token.issuedAtSeconds.map(Self.isTime) ?? true else {
      throw AccountError(.invalidArgument, "a time is out of range")
    }
    self.init(uid: token.uid, signInProvider: provider, expiresAtSeconds: end)
    // An issue time in the future cannot be compared with earlier revocations, so it is dropped.
    issuedAtSeconds = token.issuedAtSeconds.flatMap { $0 <= nowSeconds ? $0 : nil }
    email = token.email.flatMap { EmailAddress.canonical($0) }
    isEmailVerified = email != nil && token.isEmailVerified
    if let json = token.claims { claims = try SessionClaims.read(json) }
    if let json = token.tokenClaims { tokenClaims = try? ClaimValue(json: json.text()) }
  }

  /// Returns true when a claim of the token can represent the time exactly.
  private static func isTime(_ seconds: Int64) -> Bool { ClaimValue.int(seconds).seconds != nil }

  private static func isProvider(_ name: String) -> Bool {
    // Rules see the name without `.com` in `auth.provider`.
    let short = name.hasSuffix(".com") ? String(name.dropLast(4)) : name
    return (1...ForeignTokenLimits.providerBytesMax).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "._:-".utf8.contains($0) }
      && (name == ProviderID.custom || !ProviderID.reserved.contains(name) && !ProviderID.reserved.contains(short))
  }
}
