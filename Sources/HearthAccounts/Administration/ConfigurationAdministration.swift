import HearthEngine
import HearthPlugin
import HearthTree

/// Changes the configuration while the server runs, for an administrator. What is changed is kept with the accounts, and
/// counts instead of what the operator's file says.
package struct ConfigurationAdministration: Sendable {
  private let store: AccountStore
  private let configuration: LiveConfiguration

  init(store: AccountStore, configuration: LiveConfiguration) {
    self.store = store
    self.configuration = configuration
  }

  /// Changes settings, from the next request on.
  ///
  /// - Parameter settings: an object of the file's form. Its members replace what was changed before, those of an inner
  ///   object one by one; `null` goes back to what the file says.
  /// - Throws: `invalidArgument` for what the file could not say either.
  package func change(_ settings: JSON, by administrator: Administrator) async throws(AccountError) {
    let names = settings.members?.map(\.name).joined(separator: ", ") ?? ""
    try await store.transact {
      [configuration] (transaction: inout AccountTransaction) throws(AccountError) in
      let before = transaction.configurationChanges.flatMap { JSON(parsing: $0.utf8) } ?? .object([])
      let changes = ConfigurationChanges.merge(settings, into: before)
      let text = changes.text()
      guard text.count <= ConfigurationChanges.bytesMax else {
        throw AccountError(
          .invalidArgument,
          "The changed settings are longer than \(ConfigurationChanges.bytesMax) bytes; the file can say more.")
      }
      do throws(SettingsError) {
        _ = try AccountsConfiguration.parse(text, over: configuration.decided)
      } catch {
        throw AccountError(.invalidArgument, error.description)
      }
      transaction.putConfigurationChanges(
        changes.members?.isEmpty == false ? String(decoding: text, as: UTF8.self) : nil)
      transaction.audit(administrator.event(.configurationChanged, detail: names))
    }
  }
}
