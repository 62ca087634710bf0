import HearthTree

/// What administrators change of the configuration while the server runs, for the project or for a tenant: an object of the
/// file's form.
enum ConfigurationChanges {
  /// The longest text of all changes together, in bytes.
  static let bytesMax = 64 << 10

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
