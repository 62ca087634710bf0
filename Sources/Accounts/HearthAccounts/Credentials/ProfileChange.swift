/// The members of their own record that users may change.
package struct ProfileChange: Sendable {
  /// The new name; the empty text clears it, nil leaves it unchanged.
  package var displayName: String?
  /// The new picture's URL; the empty text clears it, nil leaves it unchanged.
  package var photoURL: String?
  /// The new address, as the user wrote it.
  package var email: String?
  /// A new password.
  package var password: String?
  /// Providers whose identities are removed: `password`, `phone`, `google.com`, …
  package var unlinks: Set<String> = []

  /// Creates an empty change; the properties are set afterwards.
  package init() {}

  /// True when neither the name nor the picture changes.
  package var isEmpty: Bool { displayName == nil && photoURL == nil }

  /// The changes of the account's proofs.
  ///
  /// - Parameter hasNewAddress: true when the address differs from the account's.
  func proofs(hasNewAddress: Bool) -> [CredentialChange] {
    var changes: [CredentialChange] = []
    if password != nil { changes.append(.passwordChanged) }
    if hasNewAddress { changes.append(.addressChanged) }
    if unlinks.contains(ProviderID.password), password == nil { changes.append(.passwordUnlinked) }
    if unlinks.contains(ProviderID.phone) { changes.append(.phoneUnlinked) }
    if !unlinks.subtracting([ProviderID.password, ProviderID.phone]).isEmpty { changes.append(.providerUnlinked) }
    return changes
  }

  func applyProfile(to user: inout UserRecord) {
    if let displayName { user.displayName = displayName.isEmpty ? nil : displayName }
    if let photoURL { user.photoURL = photoURL.isEmpty ? nil : photoURL }
  }

  /// Removes credentials, possibly the last one.
  func unlink(from user: inout UserRecord) {
    // A new password in the same request is kept.
    user.removeCredentials(password == nil ? unlinks : unlinks.subtracting([ProviderID.password]))
  }
}
