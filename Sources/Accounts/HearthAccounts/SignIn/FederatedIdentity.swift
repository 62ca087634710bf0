import HearthPlugin
import HearthTree

/// An identity from a provider, in the form that is stored.
package struct FederatedIdentity: Sendable {
  /// The identity in the form that records store.
  package private(set) var identity: ProviderIdentity
  /// The identity as the provider reported it.
  package let foreign: ForeignIdentity
  /// The address in canonical form; nil when the provider names none, or an invalid one.
  package let email: String?
  /// True when the provider is the authority for the address, or has proven it.
  package let isEmailVerified: Bool

  /// The longest ``signInAttributes``, in bytes of JSON.
  package static let attributesBytesMax = 2_048

  /// The attributes from the provider that tokens repeat in `firebase.sign_in_attributes`: an object; nil for none.
  package var signInAttributes: JSON?

  /// Creates the identity from a provider's, without the parts that are not stored.
  package init(providerID: String, _ foreign: ForeignIdentity) {
    self.foreign = foreign
    email = foreign.email.flatMap { EmailAddress.canonical($0) }
    isEmailVerified = email != nil && foreign.isEmailVerified
    identity = ProviderIdentity(providerID: providerID, rawID: foreign.rawID)
    identity.email = email
    identity.displayName = foreign.displayName.map { PlainText.line($0, lengthMax: 256) }
    identity.photoURL = foreign.photoURL.flatMap { $0.utf8.count <= 2_048 ? $0 : nil }
    identity.screenName = foreign.screenName.map { PlainText.line($0, lengthMax: 256) }
  }

  /// - Throws: `invalidProviderResponse` for an id that cannot be stored.
  func requireUsable() throws(AccountError) {
    guard !foreign.rawID.isEmpty, foreign.rawID.utf8.count <= 1_024 else {
      throw AccountError(.invalidProviderResponse, "The provider's user id is not valid.")
    }
  }
}

extension FederatedIdentity {
  /// Returns the identity as hooks get it.
  ///
  /// - Parameter parameters: the credential's parts, as the client showed them.
  func hookCredential(_ parameters: [String: String]) -> HookCredential {
    var credential = HookCredential()
    credential.profile = foreign.profile
    credential.attributes = signInAttributes ?? foreign.attributes
    credential.idToken = parameters["id_token"]
    credential.accessToken = parameters["access_token"]
    credential.tokenSecret = parameters["oauth_token_secret"]
    credential.refreshToken = parameters["refresh_token"]
    credential.expiresInSeconds = parameters["expires_in"].flatMap { Int64($0) }
    return credential
  }
}

extension FederatedIdentity {
  /// The text that a ticket stores of it.
  var pendingText: String {
    var object = RecordWriter()
    object.set("providerId", identity.providerID)
    object.set("rawId", foreign.rawID)
    object.set("email", email)
    object.set("emailVerified", stated: isEmailVerified)
    object.set("displayName", identity.displayName)
    object.set("photoUrl", identity.photoURL)
    object.set("screenName", identity.screenName)
    return String(decoding: object.json.text(), as: UTF8.self)
  }

  init?(pending text: String?) {
    guard let json = text.flatMap({ JSON(parsing: $0.utf8) }), let providerID = json["providerId"]?.string,
      let rawID = json["rawId"]?.string
    else { return nil }
    var foreign = ForeignIdentity(
      rawID: rawID, email: json["email"]?.string, isEmailVerified: json["emailVerified"]?.bool ?? false)
    foreign.displayName = json["displayName"]?.string
    foreign.photoURL = json["photoUrl"]?.string
    foreign.screenName = json["screenName"]?.string
    self.init(providerID: providerID, foreign)
  }

  /// Creates an identity from a stored text and the further values of a sealed one.
  init?(pending text: String?, attributes: JSON?, firstName: String?, lastName: String?) {
    guard let plain = FederatedIdentity(pending: text) else { return nil }
    var foreign = plain.foreign
    (foreign.firstName, foreign.lastName, foreign.profile) = (firstName, lastName, attributes)
    self.init(providerID: plain.identity.providerID, foreign)
    signInAttributes = attributes
  }
}
