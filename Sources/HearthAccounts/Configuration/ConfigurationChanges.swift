import HearthPlugin
import HearthTree

/// What administrators change of the configuration while the server runs, for the project or for a tenant: an object of the
/// file's form.
enum ConfigurationChanges {
  /// The longest text of all changes together, in bytes.
  private static let bytesMax = 64 << 10

  /// What was changed before together with further changes, as the text that is kept; nil for nothing.
  ///
  /// - Parameter configuration: what they go over.
  /// - Throws: `invalidArgument` for what the file could not say either, and for a text that is too long.
  static func merged(
    _ patch: JSON, into kept: String?, over configuration: AccountsConfiguration
  ) throws(AccountError) -> String? {
    let changes = merge(patch, into: kept.flatMap { JSON(parsing: $0.utf8) } ?? .object([]))
    let text = changes.text()
    guard text.count <= bytesMax else {
      throw AccountError(.invalidArgument, "All changed settings together are longer than \(bytesMax) bytes.")
    }
    do throws(SettingsError) {
      _ = try AccountsConfiguration.parse(text, over: configuration)
    } catch {
      throw AccountError(.invalidArgument, error.description)
    }
    return changes.members?.isEmpty == false ? String(decoding: text, as: UTF8.self) : nil
  }

  /// The members of both, those of objects in it one by one: what is still further inside is one value.
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
