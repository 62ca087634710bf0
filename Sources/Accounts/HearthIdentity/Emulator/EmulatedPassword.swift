import HearthTree

/// The form of passwords in the exports of Firebase's emulator and in imports of test suites:
/// `fakeHash:salt=SALT:password=PASSWORD`. The password in it is readable.
package enum EmulatedPassword {
  /// Returns the users of an import, each with a password in clear instead of such a text.
  package static func cleared(_ users: [JSON]) -> [JSON] { users.map { cleared($0) } }

  /// Returns a user of an import with such a password in clear, and any other user unchanged.
  package static func cleared(_ user: JSON) -> JSON {
    guard let members = user.members, let hash = user["passwordHash"]?.string, hash.hasPrefix("fakeHash:"),
      let found = hash.firstRange(of: ":password=")
    else { return user }
    let others = members.filter { !["passwordHash", "salt"].contains($0.name) }
    return .object(others + [JSON.Member("rawPassword", .string(String(hash[found.upperBound...])))])
  }
}
