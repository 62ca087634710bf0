import HearthTree

/// The check of exported users for differences after an import. Users that cannot be imported at all are reported by
/// the server at the import.
package struct UsersCheck: Sendable {
  /// The members that an import reads, of Firebase's exports and of Hearth's own.
  private static let read: Set<String> = [
    "localId", "email", "emailVerified", "passwordHash", "salt", "displayName", "photoUrl", "providerUserInfo",
    "createdAt", "lastSignedInAt", "lastLoginAt", "lastRefreshAt", "phoneNumber", "disabled", "customAttributes",
    "mfaInfo", "validSince", "initialEmail", "passwordUpdatedAt", "customAuth", "emailLinkSignin", "hearth",
    "rawPassword", "screenName", "version", "tenantId",
  ]
  /// The sign-in methods without another provider.
  private static let own: Set<String> = ["password", "phone", "anonymous"]
  /// The maximum number of distinct names that are counted, because an export's names are untrusted input.
  private static let countedNamesMax = 1_000

  private let file: String
  private let hasHashParameters: Bool
  private var list = MigrationFindings()
  private var providerCounts: [String: Int] = [:]
  private var unreadCounts: [String: Int] = [:]
  private var withoutParametersCount = 0
  private var claims = ShadowedClaims()
  /// The number of users.
  package private(set) var count = 0

  /// - Parameters:
  ///   - file: The file's name in findings.
  ///   - hasHashParameters: True when the parameters of the password hashes are known.
  package init(file: String, hasHashParameters: Bool) {
    (self.file, self.hasHashParameters) = (file, hasHashParameters)
  }

  /// Checks a user as an import would read it.
  package mutating func add(_ user: JSON) {
    count += 1
    claims.add(user)
    var providers: Set<String> = []
    for provider in user["providerUserInfo"]?.array ?? [] {
      if let id = provider["providerId"]?.string, !Self.own.contains(id) { providers.insert(id) }
    }
    for id in providers { Self.count(id, in: &providerCounts) }
    for member in user.members ?? [] where !Self.read.contains(member.name) {
      Self.count(member.name, in: &unreadCounts)
    }
    let hasHash = user["passwordHash"]?.string.map { !$0.isEmpty && !$0.hasPrefix("fakeHash:") } ?? false
    if hasHash, user["hearth"] == nil, !hasHashParameters { withoutParametersCount += 1 }
  }

  /// Records a place in the file without a user.
  package mutating func refuse(_ reason: String) {
    count += 1
    list.add(MigrationFinding(.note, place: file, subject: "account \(count)", "cannot be read: \(reason)"))
  }

  private static func count(_ name: String, in counts: inout [String: Int]) {
    guard counts[name] != nil || counts.count < countedNamesMax else { return }
    counts[name, default: 0] += 1
  }

  /// The findings so far.
  package var findings: MigrationFindings {
    var findings = list
    if withoutParametersCount > 0 {
      findings.add(
        MigrationFinding(
          .refused, place: file, subject: Self.users(withoutParametersCount),
          "passwords cannot be verified without the project's hash parameters: name them with "
            + "--hash-config"))
    }
    for (id, count) in providerCounts.sorted(by: { $0.key < $1.key }) {
      findings.add(
        MigrationFinding(
          .note, place: file, subject: Self.users(count),
          "sign in with \(id): enable this sign-in method, so that they can continue"))
    }
    for (count, text) in claims.notes {
      findings.add(MigrationFinding(.note, place: file, subject: Self.users(count), text))
    }
    for (name, count) in unreadCounts.sorted(by: { $0.key < $1.key }) {
      findings.add(MigrationFinding(.different, place: file, subject: Self.users(count), "\(name) is not kept"))
    }
    return findings
  }

  private static func users(_ count: Int) -> String { count == 1 ? "1 user" : "\(count) users" }
}
