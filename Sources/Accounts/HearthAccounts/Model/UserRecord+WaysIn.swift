extension UserRecord {
  /// Takes ways in away. The address stays: it says where mail goes, and who owns its mailbox can come in by it again.
  ///
  /// - Parameter providers: their ids; `password` stands for mailed links as well, `phone` for the number.
  mutating func removeWaysIn(_ providers: Set<String>) {
    if providers.contains("password") {
      password = nil
      hasTemporaryPassword = false
      hasEmailLink = false
    }
    if providers.contains("phone") { phoneNumber = nil }
    identities.removeAll { providers.contains($0.providerID) }
  }
}
