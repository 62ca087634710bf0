import HearthEngine
import HearthPlugin
import HearthTree

/// Changes the configuration while the server runs, for an administrator. What is changed is kept with the accounts, and
/// counts instead of what the operator's file says.
package struct ConfigurationAdministration: Sendable {
  /// The longest text of all changes together, in bytes.
  static let changesBytesMax = 64 << 10

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
      let changes = Self.merge(settings, into: before)
      let text = changes.text()
      guard text.count <= Self.changesBytesMax else {
        throw AccountError(
          .invalidArgument,
          "The changed settings are longer than \(Self.changesBytesMax) bytes; the file can say more.")
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

  /// The members of both, those of objects in it one by one: what is still further inside is one value.
  static func merge(_ patch: JSON, into old: JSON, depth: Int = 0) -> JSON {
    var members = old.members ?? []
    for patch in patch.members ?? [] {
      let before = members.first { $0.name == patch.name }?.value
      members.removeAll { $0.name == patch.name }
      if case .null = patch.value { continue }
      guard depth == 0, patch.value.members != nil else {
        members.append(patch)
        continue
      }
      let merged = merge(patch.value, into: before ?? .object([]), depth: depth + 1)
      if merged.members?.isEmpty != true { members.append(JSON.Member(patch.name, merged)) }
    }
    return .object(members)
  }
}
