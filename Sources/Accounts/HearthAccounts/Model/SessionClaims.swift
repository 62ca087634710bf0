import HearthCrypto
import HearthTree

/// The claims for the tokens of one session, in addition to those of its user.
package enum SessionClaims {
  /// Reads the claims of a plugin or a developer: an object without reserved names, within the size limit.
  ///
  /// - Parameter takesComputed: true to ignore names of the server's own values, for claims in which Firebase accepts such names;
  ///   no token contains them. Otherwise such a claim is refused, so that its author notices.
  /// - Throws: `invalidClaims`, `claimsTooLarge`, `forbiddenClaim` with the claim's name.
  package static func read(_ json: JSON, takesComputed: Bool = false) throws(AccountError) -> [ClaimValue.Member] {
    guard let claims = try? ClaimValue(json: json.text()), let members = claims.members else {
      throw AccountError(.invalidClaims)
    }
    let isForbidden = takesComputed ? IDTokenClaims.reservedNames.contains : IDTokenClaims.isTaken
    if let claim = members.first(where: { isForbidden($0.name) }) { throw AccountError(.forbiddenClaim, claim.name) }
    guard (try? IDTokenClaims.check(custom: members)) != nil else { throw AccountError(.claimsTooLarge) }
    return members
  }

  /// Reads stored claims, which were checked when they were written; a damaged or older record must neither lock its
  /// user out nor contain reserved claims.
  static func usable(_ text: String?) -> [ClaimValue.Member] {
    guard let text, let members = (try? ClaimValue(customAttributes: text))?.members else { return [] }
    let allowed = members.filter { !IDTokenClaims.reservedNames.contains($0.name) }
    return (try? IDTokenClaims.check(custom: allowed)) == nil ? [] : allowed
  }

  /// Merges two lists. Claims of the second replace those of the first with the same name.
  static func merged(_ first: [ClaimValue.Member], _ second: [ClaimValue.Member]) -> [ClaimValue.Member] {
    first.filter { claim in !second.contains { $0.name.utf8.elementsEqual(claim.name.utf8) } } + second
  }
}
