import HearthCrypto

/// The treatment of keys and secrets in a backup.
public enum SecretsOption: Sendable {
  /// Keys and secrets are omitted.
  case leftOut
  /// Keys and secrets are stored like all other files, readable by the owner of the backup's files only.
  case clear
  /// Keys and secrets are sealed with a passphrase.
  case sealed(PassphraseSeal)
}
