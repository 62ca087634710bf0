/// What a user may change about themselves; nothing else gets into their record by their own hand.
package struct ProfileChange: Sendable {
  /// The empty text clears; nil leaves it as it is.
  package var displayName: String?
  /// The empty text clears; nil leaves it as it is.
  package var photoURL: String?
  /// Another address, as the user wrote it.
  package var email: String?
  /// A new password.
  package var password: String?
  /// Providers whose ways in go: `password`, `phone`, `google.com`, …
  package var unlinks: Set<String> = []

  /// The longest name in bytes: every token of the user repeats it.
  package static let nameBytesMax = 1_024
  /// The longest address of a picture in bytes, for the same reason.
  package static let photoURLBytesMax = 2_048

  /// A change of nothing.
  package init() {}

  var isEmpty: Bool { displayName == nil && photoURL == nil }

  func applyProfile(to user: inout UserRecord) {
    if let displayName { user.displayName = displayName.isEmpty ? nil : displayName }
    if let photoURL { user.photoURL = photoURL.isEmpty ? nil : photoURL }
  }

  /// Takes ways in away; the last one as well.
  func unlink(from user: inout UserRecord) {
    // Who sends a password beside it wants that one.
    user.removeWaysIn(password == nil ? unlinks : unlinks.subtracting([ProviderID.password]))
  }
}
