import HearthTree

/// A second factor as an administrator or an import describes it.
package struct FactorChange: Sendable {
  /// The kind of factor.
  package enum Kind: Sendable, Equatable {
    /// A phone number in E.164.
    case phone(String)
    /// A new authenticator with its sealed secret; nil keeps the one with the same id.
    case totp(sealedSecret: String?)
  }

  var id: String
  /// The factor after the change.
  package var kind: Kind
  var displayName: String?
  /// The time of enrolment; nil keeps the time of the factor with the same id.
  var enrolledAtMilliseconds: Int64?
  var nowMilliseconds: Int64

  /// - Parameters:
  ///   - id: the enrolment id.
  ///   - kind: the kind of factor.
  ///   - displayName: the user's name for it.
  ///   - enrolledAtMilliseconds: the time of enrolment; nil keeps the time of the factor with the same id.
  ///   - nowMilliseconds: the time for a new factor without one.
  package init(id: String, kind: Kind, displayName: String?, enrolledAtMilliseconds: Int64?, nowMilliseconds: Int64) {
    self.id = id
    self.kind = kind
    self.displayName = displayName
    self.enrolledAtMilliseconds = enrolledAtMilliseconds
    self.nowMilliseconds = nowMilliseconds
  }

  /// Returns the new list of factors from the present one.
  static func apply(_ changes: [FactorChange], to present: [SecondFactor]) throws(AccountError) -> [SecondFactor] {
    var factors: [SecondFactor] = []
    for change in changes {
      let old = present.first { $0.id == change.id }
      let kind: SecondFactor.Kind
      switch (change.kind, old?.kind) {
      case (.phone(let number), _): kind = .phone(number)
      case (.totp(let sealed?), _): kind = .totp(sealedSecret: sealed, lastAcceptedStep: -1)
      case (.totp(nil), .totp(let sealed, let step)?): kind = .totp(sealedSecret: sealed, lastAcceptedStep: step)
      case (.totp(nil), _): throw AccountError(.secondFactorNotFound)
      }
      // A phone number that is named twice is one factor.
      if case .phone = kind, factors.contains(where: { $0.kind == kind }) { continue }
      guard !factors.contains(where: { $0.id == change.id }) else { throw AccountError(.duplicateEnrolmentID) }
      guard !factors.contains(where: { $0.kind == kind }) else { throw AccountError(.secondFactorExists) }
      factors.append(
        SecondFactor(
          id: change.id, kind: kind, displayName: change.displayName,
          enrolledAtMilliseconds: change.enrolledAtMilliseconds ?? old?.enrolledAtMilliseconds ?? change.nowMilliseconds
        )
      )
    }
    return factors
  }
}
