import ArgumentParser
import HearthCrypto
import HearthProgram

/// The options for keys and secrets in backups.
struct BackupKeysOption: ParsableArguments {
  @Flag(help: "Omit keys, triggers and the settings of plugins, which contain secrets.")
  var withoutKeys = false

  @Option(
    help: ArgumentHelp(
      "A file whose first line is the passphrase that encrypts keys and secrets.", valueName: "file"))
  var passphraseFile: String?

  func validate() throws {
    guard !withoutKeys || passphraseFile == nil else {
      throw ValidationError("--without-keys and --passphrase-file cannot be combined.")
    }
  }

  /// Returns the seal for keys and secrets; nil without a passphrase.
  func seal() throws -> PassphraseSeal? {
    guard let passphraseFile else { return nil }
    let line =
      try TextFile.read(passphraseFile).split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      .first.map(String.init) ?? ""
    guard let seal = PassphraseSeal(passphrase: line) else {
      throw ValidationError(
        "The first line of \(passphraseFile) is too short for a passphrase: use \(PassphraseSeal.passphraseBytesMin) "
          + "characters or more, such as the output of: openssl rand -base64 24")
    }
    return seal
  }
}
