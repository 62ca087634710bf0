/// The ids of the identity protocol for sign-in methods without a provider plugin of that id: tokens show them as
/// `sign_in_provider`, and clients name them to remove a credential.
///
/// The plugin of a method is found by its `SignInMethod`, never by one of these.
package enum ProviderID {
  /// A password, and mailed links: to clients both are one provider.
  package static let password = "password"
  /// A phone number.
  package static let phone = "phone"
  /// The id for anonymous accounts, which have no credential.
  package static let anonymous = "anonymous"
  /// A custom token.
  package static let custom = "custom"

  /// A passkey.
  package static let passkey = "passkey"

  /// The ids that identity providers must not have.
  package static let reserved: Set = [password, phone, anonymous, custom, passkey, "firebase"]

  /// Sign-in methods whose accounts get no second factor: a user with only such a method could not sign in again.
  static let withoutSecondFactor: Set = [anonymous, custom, phone]
}
