extension KeyRing {
  /// Returns the signature of a request to an identity provider that uses SAML: RS256 of the query of SAML's redirect
  /// binding, with the key that signs ID tokens. The signed text cannot be mistaken for a token, because it begins with
  /// the name of a parameter.
  ///
  /// - Parameter query: `SAMLRequest=…&RelayState=…&SigAlg=…`
  public func signature(ofSAMLQuery query: String) throws(TokenMintError) -> [UInt8] {
    guard query.utf8.starts(with: "SAMLRequest=".utf8), let signing = snapshot.store.idTokenFile.keysOrNone()?.signing,
      let signature = signing.key.sign(Array(query.utf8))
    else { throw .unavailable }
    return signature
  }
}
