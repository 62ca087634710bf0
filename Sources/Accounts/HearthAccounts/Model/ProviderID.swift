/// The ids of the identity protocol that name a way in without a provider plugin of that id: tokens show them as
/// `sign_in_provider`, and clients name them when they take a way in away.
///
/// Which plugin serves such a way is asked by its `SignInMethod`, never by one of these.
package enum ProviderID {
  /// A password, and mailed links: to clients both are one provider.
  package static let password = "password"
  /// A phone number.
  package static let phone = "phone"
  /// No credential: anonymous accounts.
  package static let anonymous = "anonymous"
  /// A custom token.
  package static let custom = "custom"

  /// A passkey.
  package static let passkey = "passkey"

  /// What no provider of identities may be called.
  package static let reserved: Set = [password, phone, anonymous, custom, passkey, "firebase"]

  /// Sign-in methods whose accounts get no second factor: a user with only such a method could not sign in again.
  static let withoutSecondFactor: Set = [anonymous, custom, phone]
}
