import Foundation
import HearthTree

/// A second factor of an account.
struct StoredFactor: Sendable, Equatable, Codable {
  /// The maximum number of factors that are read from a response; servers allow fewer.
  static let countMax = 64

  var uid: String
  var displayName: String?
  var enrolledAt: Date?
  /// The phone number in E.164 form, or its end only; nil for an authenticator app.
  var phoneNumber: String?

  /// The factor in a response; nil for an unknown kind.
  init?(_ json: JSON) {
    guard let uid = json["mfaEnrollmentId"]?.string, !uid.isEmpty, uid.utf8.count <= IdentityService.uidBytesMax else {
      return nil
    }
    phoneNumber = json["phoneInfo"]?.string
    guard phoneNumber != nil || json["totpInfo"]?.members != nil else { return nil }
    self.uid = uid
    displayName = json["displayName"]?.string
    enrolledAt = json["enrolledAt"]?.string.flatMap { Timestamp.milliseconds($0) }.map {
      Date(timeIntervalSince1970: TimeInterval($0) / 1000)
    }
  }

  /// Returns the factors in the `mfaInfo` of a response.
  static func all(in json: JSON) -> [StoredFactor] {
    (json["mfaInfo"]?.array ?? []).prefix(countMax).compactMap { StoredFactor($0) }
  }

  /// The factor in the form of the API.
  var info: MultiFactorInfo {
    phoneNumber.map { PhoneMultiFactorInfo(self, phoneNumber: $0) } ?? TOTPMultiFactorInfo(self)
  }
}
