import HearthCrypto

/// What becomes of keys and secrets in a backup.
public enum SecretsOption: Sendable {
  /// They are left out.
  case leftOut
  /// They are kept like all other files, for the owner of the backup's files alone.
  case clear
  /// They are sealed.
  case sealed(PassphraseSeal)
}
