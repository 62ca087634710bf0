import HearthTree

/// Custom claims with the name of a claim that ID tokens take from the account itself, counted over accounts.
package struct ShadowedClaims: Sendable {
  /// The names that the server computes. Custom claims may have them; ID tokens have the account's value or none.
  private static let names: Set<String> = ["email", "email_verified", "phone_number", "provider_id", "user_id"]

  private var counts: [String: Int] = [:]

  /// Creates a count without accounts.
  package init() {}

  /// Counts the claims of an exported account.
  package mutating func add(_ user: JSON) {
    guard let text = user["customAttributes"]?.string, let claims = JSON(parsing: text.utf8)?.members else { return }
    for name in Set(claims.map(\.name)).intersection(Self.names) { counts[name, default: 0] += 1 }
  }

  /// The number of accounts for each name, and the treatment of the claim.
  package var notes: [(count: Int, text: String)] {
    counts.sorted { $0.key < $1.key }.map { name, count in
      let rule =
        name == "user_id"
        ? "ID tokens contain the uid instead" : "ID tokens contain the account's own value or none"
      return (count, "the custom claim \(name) is kept, and \(rule)")
    }
  }
}
