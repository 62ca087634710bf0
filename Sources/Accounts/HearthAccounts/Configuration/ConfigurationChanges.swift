import HearthPlugin
import HearthTree

/// The changes that administrators make to the configuration while the server runs, for the project or a tenant: an
/// object in the form of the configuration file.
enum ConfigurationChanges {
  /// The longest text of all changes together, in bytes.
  private static let bytesMax = 64 << 10

  /// Returns the earlier changes merged with further ones, as the stored text; nil for none.
  ///
  /// - Parameter configuration: the configuration that they change.
  /// - Throws: `invalidArgument` for changes that the file could not contain either, and for a text that is too long.
  static func merged(
    _ patch: JSON, into kept: String?, over configuration: AccountsConfiguration
  ) throws(AccountError) -> String? {
    let changes = merge(patch, into: kept.flatMap { JSON(parsing: $0.utf8) } ?? .object([]))
    let text = changes.text()
    guard text.count <= bytesMax else {
      throw AccountError(.invalidArgument, "The changed settings have more than \(bytesMax) bytes in total.")
    }
    do throws(SettingsError) {
      _ = try AccountsConfiguration.parse(text, over: configuration)
    } catch {
      guard let kept, isValid(patch, despite: kept, over: configuration) else {
        throw AccountError(.invalidArgument, error.description)
      }
    }
    return changes.members?.isEmpty == false ? String(decoding: text, as: UTF8.self) : nil
  }

  /// Returns true when the changes are valid alone, and only conflict with earlier ones.
  private static func isValid(_ patch: JSON, despite kept: String, over configuration: AccountsConfiguration) -> Bool {
    guard (try? AccountsConfiguration.parse(Array(kept.utf8), over: configuration)) == nil else { return false }
    let own = merge(patch, into: .object([])).text()
    return (try? AccountsConfiguration.parse(own, over: applyingValid(kept, over: configuration))) != nil
  }

  /// Applies the changes that are valid for a configuration, one by one: a change that has become invalid must not undo
  /// the others.
  static func applyingValid(_ changes: String, over configuration: AccountsConfiguration) -> AccountsConfiguration {
    var value = configuration
    func apply(_ change: JSON) -> Bool {
      guard let next = try? AccountsConfiguration.parse(change.text(), over: value) else { return false }
      value = next
      return true
    }
    for member in JSON(parsing: changes.utf8)?.members ?? [] where !apply(.object([member])) {
      for part in member.value.members ?? [] {
        _ = apply(.object([JSON.Member(member.name, .object([part]))]))
      }
    }
    return value
  }

  /// Returns the members of both, merging objects member by member; values further inside are replaced as a whole.
  private static func merge(_ patch: JSON, into old: JSON, depth: Int = 0) -> JSON {
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
