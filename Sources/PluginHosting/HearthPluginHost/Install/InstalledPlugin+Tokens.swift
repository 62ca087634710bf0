import HearthCrypto
import HearthPlugin

extension InstalledPlugin {
  /// The tokens that the plugin verifies, by its manifest and settings; nil when it verifies none.
  var selection: TokenSelection? {
    guard let manifest else { return nil }
    return manifest.verifies?.selection(manifest.settings.complete(settings))
  }

  /// A text that changes with the version and the settings. It reveals no setting.
  var revision: String {
    let files = record.flatMap { $0.versions[$0.current]?.digest.hex } ?? ""
    return files + " " + Digest(sha256: settings.text()).hex
  }
}
