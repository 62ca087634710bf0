import Foundation
import HearthTree

/// The data of an account.
struct StoredUser: Sendable, Equatable, Codable {
  var uid: String
  var email: String?
  var displayName: String?
  var photoURL: URL?
  var phoneNumber: String?
  var isEmailVerified = false
  var isAnonymous = false
  var tenantID: String?
  var createdAt: Date?
  var lastSignInAt: Date?
  var providers: [ProviderRecord] = []
  /// The second factors; nil in sessions of library versions without them.
  var factors: [StoredFactor]?
  /// The passkeys; nil in sessions of library versions without them.
  var passkeys: [PasskeyInfo]?

  /// A provider linked to the account.
  struct ProviderRecord: Sendable, Equatable, Codable {
    var providerID: String
    var uid: String
    var email: String?
    var displayName: String?
    var photoURL: URL?
    var phoneNumber: String?
  }

  /// The record in a response; nil when it has no account.
  init?(_ json: JSON) {
    guard let uid = json["localId"]?.string, !uid.isEmpty, uid.utf8.count <= IdentityService.uidBytesMax else {
      return nil
    }
    self.uid = uid
    email = Self.text(json["email"])
    displayName = Self.text(json["displayName"])
    photoURL = Self.text(json["photoUrl"]).flatMap { URL(string: $0) }
    phoneNumber = Self.text(json["phoneNumber"])
    isEmailVerified = json["emailVerified"]?.bool ?? false
    tenantID = Self.text(json["tenantId"])
    createdAt = Self.date(json["createdAt"])
    lastSignInAt = Self.date(json["lastLoginAt"])
    providers = (json["providerUserInfo"]?.array ?? []).prefix(64).compactMap { ProviderRecord($0) }
    factors = StoredFactor.all(in: json)
    passkeys = PasskeyInfo.all(in: json)
    // An anonymous account has no address, password, phone number, provider or passkey.
    isAnonymous =
      email == nil && json["passwordHash"]?.string == nil && providers.isEmpty && phoneNumber == nil
      && json["customAuth"]?.bool != true && passkeys?.isEmpty != false
  }

  private static func text(_ json: JSON?) -> String? { json?.string.flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns the date for milliseconds since 1970, as a string or a number.
  private static func date(_ json: JSON?) -> Date? {
    guard let milliseconds = json?.string.flatMap({ Int64($0) }) ?? json?.int else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(milliseconds) / 1000)
  }
}

extension StoredUser.ProviderRecord {
  init?(_ json: JSON) {
    guard let providerID = json["providerId"]?.string, !providerID.isEmpty else { return nil }
    self.init(
      providerID: providerID, uid: json["rawId"]?.string ?? json["federatedId"]?.string ?? "",
      email: json["email"]?.string, displayName: json["displayName"]?.string,
      photoURL: json["photoUrl"]?.string.flatMap { URL(string: $0) }, phoneNumber: json["phoneNumber"]?.string)
  }
}
