import HearthCrypto
import HearthPlugin

extension Accounts {
  /// Whether a token counts by the account behind it. What the keys do not accept has ended, too.
  ///
  /// - Parameter token: an ID token, a session cookie or a custom token.
  package func standing(ofToken token: String, nowSeconds: Int64) -> Standing {
    let isGood =
      if (try? TokenReader.read(token))?.kind == .custom {
        countsForSignIn(token, nowSeconds: nowSeconds)
      } else {
        counts(token, nowSeconds: nowSeconds)
      }
    return isGood ? .good : .ended
  }

  private func counts(_ token: String, nowSeconds: Int64) -> Bool {
    let credential =
      (try? keys.verifier.verify(token, nowSeconds: nowSeconds))
      ?? (try? keys.verifySessionCookie(token, nowSeconds: nowSeconds))
    return credential.map { standing(of: $0) == .good } ?? false
  }

  private func countsForSignIn(_ token: String, nowSeconds: Int64) -> Bool {
    let view = store.view
    let signers = view.serviceAccounts.filter { !$0.isDisabled }.map { ($0.email, $0.publicKeys) }
    guard let custom = try? keys.customTokenVerifier(accounts: signers).verify(token, nowSeconds: nowSeconds) else {
      return false
    }
    let named = NamedUser(uid: custom.uid, issuedAtSeconds: custom.issuedAtSeconds)
    return (try? view.requireNotOfDeleted(named)) != nil && view.user(custom.uid)?.isDisabled != true
  }
}
