extension UserRecord {
  /// Removes credentials. The address stays: mail goes to it, and the owner of its mailbox can sign in by it again.
  ///
  /// - Parameter providers: their ids; `password` stands for mailed links as well, `phone` for the number.
  mutating func removeCredentials(_ providers: Set<String>) {
    if providers.contains("password") {
      password = nil
      hasTemporaryPassword = false
      hasEmailLink = false
    }
    if providers.contains("phone") { phoneNumber = nil }
    identities.removeAll { providers.contains($0.providerID) }
  }
}
