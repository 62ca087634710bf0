import HearthCrypto
import HearthPlugin

extension InstalledPlugin {
  /// The tokens that it verifies, by its manifest and settings; nil for a plugin that verifies none.
  var selection: TokenSelection? {
    guard let manifest else { return nil }
    return manifest.verifies?.selection(manifest.settings.complete(settings))
  }

  /// Another text for another version or other settings. It gives nothing of the settings away.
  var revision: String {
    let files = record.flatMap { $0.versions[$0.current]?.digest.hex } ?? ""
    return files + " " + Digest(sha256: settings.text()).hex
  }
}
