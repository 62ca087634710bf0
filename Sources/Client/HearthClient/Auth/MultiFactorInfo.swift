import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The factor id of phones.
public let PhoneMultiFactorID = PhoneMultiFactorInfo.PhoneMultiFactorID
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The factor id of authenticator apps.
public let TOTPMultiFactorID = PhoneMultiFactorInfo.TOTPMultiFactorID

/// A second factor of an account.
///
/// It is `@unchecked Sendable` because it has subclasses; all of its properties and theirs are constants.
public class MultiFactorInfo: @unchecked Sendable {
  /// The identifier of the enrolment.
  public let uid: String
  /// The name that the user gave the factor.
  public let displayName: String?
  /// The time of the enrolment; 1970 when the server omits it.
  public let enrollmentDate: Date
  /// The kind of the factor: `phone` or `totp`.
  public let factorID: String

  init(_ factor: StoredFactor, factorID: String) {
    uid = factor.uid
    displayName = factor.displayName
    enrollmentDate = factor.enrolledAt ?? Date(timeIntervalSince1970: 0)
    self.factorID = factorID
  }
}

/// A phone as a second factor.
public final class PhoneMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The factor id of phones.
  public static let PhoneMultiFactorID = "phone"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The factor id of authenticator apps.
  public static let TOTPMultiFactorID = "totp"

  /// The phone number in E.164 form; only its last digits before the factor is proven.
  public let phoneNumber: String

  init(_ factor: StoredFactor, phoneNumber: String) {
    self.phoneNumber = phoneNumber
    super.init(factor, factorID: Self.PhoneMultiFactorID)
  }
}

/// An authenticator app as a second factor.
public final class TOTPMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
  init(_ factor: StoredFactor) { super.init(factor, factorID: PhoneMultiFactorInfo.TOTPMultiFactorID) }
}
