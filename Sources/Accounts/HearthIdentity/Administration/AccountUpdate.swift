import HearthTree

/// The body of an administrator's `accounts:update`, as far as it may give access to the account.
package enum AccountUpdate {
  private static let harmlessNames: Set<String> = [
    "localId", "displayName", "photoUrl", "validSince", "tenantId", "targetProjectId", "returnSecureToken",
  ]
  private static let harmlessDeletions = ["DISPLAY_NAME", "PHOTO_URL"]

  /// Returns true when no member of the body can give access: names and pictures, ending sessions, disabling. Claims,
  /// passwords, addresses, numbers, identities, factors, enabling, and unknown members can.
  package static func isHarmless(_ body: some Collection<UInt8>) -> Bool {
    guard let members = JSON(parsing: body)?.members else { return false }
    return members.allSatisfy { member in
      switch member.name {
      case "disableUser": member.value == .bool(true)
      case "deleteAttribute": member.value.array?.allSatisfy { isHarmlessDeletion($0) } ?? false
      default: harmlessNames.contains(member.name)
      }
    }
  }

  private static func isHarmlessDeletion(_ value: JSON) -> Bool {
    value.string.map { text in harmlessDeletions.contains { $0.utf8.elementsEqual(text.utf8) } } ?? false
  }
}
