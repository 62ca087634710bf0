import HearthCrypto
import HearthTree

/// Claims for the tokens of one session, beside those of its user.
package enum SessionClaims {
  /// Reads them from a plugin's answer or a developer's: an object without reserved names, small enough.
  ///
  /// - Parameter takesComputed: Names of the server's own values are taken, for claims that the service takes so; no token says
  ///   them. Otherwise such a claim is refused, so that its author learns of it.
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

  /// Claims from the store. They were checked when they were written; a damaged or older record must neither keep its
  /// user out nor say what only the server may.
  static func usable(_ text: String?) -> [ClaimValue.Member] {
    guard let text, let members = (try? ClaimValue(customAttributes: text))?.members else { return [] }
    let allowed = members.filter { !IDTokenClaims.reservedNames.contains($0.name) }
    return (try? IDTokenClaims.check(custom: allowed)) == nil ? [] : allowed
  }

  /// Both together. Later ones replace earlier ones of the same name.
  static func merged(_ first: [ClaimValue.Member], _ second: [ClaimValue.Member]) -> [ClaimValue.Member] {
    first.filter { claim in !second.contains { $0.name.utf8.elementsEqual(claim.name.utf8) } } + second
  }
}
