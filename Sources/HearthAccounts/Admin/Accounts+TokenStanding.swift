import HearthCrypto
import HearthPlugin
import HearthTree

extension Accounts {
  /// `tokens:standing`: whether a token counts by the account behind it, `good` or `ended`. What the keys do not accept has
  /// ended, too.
  func tokenStanding(_ call: IdentityCall) throws(AccountError) -> JSON {
    guard let token = try call.text("token", sizeBytesMax: IdentityCall.longTextBytesMax), !token.isEmpty else {
      throw AccountError(.invalidArgument, "token is missing")
    }
    let isGood =
      if (try? TokenReader.read(token))?.kind == .custom {
        countsForSignIn(token, call)
      } else {
        counts(token, call)
      }
    return .object([JSON.Member("standing", .string(isGood ? "good" : "ended"))])
  }

  private func counts(_ token: String, _ call: IdentityCall) -> Bool {
    let credential =
      (try? keys.verifier.verify(token, nowSeconds: call.nowSeconds))
      ?? (try? keys.verifySessionCookie(token, nowSeconds: call.nowSeconds))
    return credential.map { standing(of: $0) == .good } ?? false
  }

  private func countsForSignIn(_ token: String, _ call: IdentityCall) -> Bool {
    let view = store.view
    let signers = view.serviceAccounts.filter { !$0.isDisabled }.map { ($0.email, $0.publicKeys) }
    guard
      let custom = try? keys.customTokenVerifier(accounts: signers).verify(token, nowSeconds: call.nowSeconds)
    else { return false }
    let named = NamedUser(uid: custom.uid, issuedAtSeconds: custom.issuedAtSeconds)
    return (try? view.requireNotOfDeleted(named)) != nil && view.user(custom.uid)?.isDisabled != true
  }
}
