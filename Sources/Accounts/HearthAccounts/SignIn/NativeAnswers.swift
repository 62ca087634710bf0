import HearthCrypto
import HearthEngine
import HearthTree

/// The result of a sign-in on a provider's page for a native app, carried by a URL that the device opens in the app.
///
/// Other apps on the device may see that URL. So its content is sealed, and is accepted only together with the session id of the
/// requesting app; the URL of the page contained only the digest of that id. See RFC 8252 §8.1.
package struct NativeAnswers: Sendable {
  let context: AccountsContext

  /// The name of the URL parameter with the answer.
  package static let parameter = "answer"
  private static let purpose = "answer for a native app"
  private static let textBytesMax = 65_536

  /// The address that a browser returned to, and the session that belongs to it.
  package struct Answer: Sendable, Redacted {
    /// The id of the visited provider.
    package let providerID: String
    /// The address of the page.
    package let url: String
    /// The session id that a web app would get with it.
    package let sessionID: String

    /// Creates an answer to be sealed.
    package init(providerID: String, url: String, sessionID: String) {
      (self.providerID, self.url, self.sessionID) = (providerID, url, sessionID)
    }
  }

  /// Returns true when a text can be the digest of an app's session: SHA-256 as SDKs write it.
  package static func isDigest(_ text: String) -> Bool { Digest(hex: text) != nil }

  /// Seals an answer for the app whose session has that digest.
  ///
  /// - Throws: `unavailable` when it cannot be sealed.
  package func seal(_ answer: Answer, digest: String, now: Instant) throws(AccountError) -> String {
    let json = JSON.object([
      .init("p", .string(answer.providerID)), .init("u", .string(answer.url)), .init("s", .string(answer.sessionID)),
      .init("d", .string(digest)), .init("e", .int(now.wallMilliseconds / 1000 + ProviderPages.visitSeconds)),
    ])
    do {
      return try context.keys.seal(json.text(), for: Self.purpose)
    } catch {
      throw AccountError(.unavailable)
    }
  }

  /// Opens the answer in an address that an app shows.
  ///
  /// - Parameters:
  ///   - requestURI: the address.
  ///   - sessionID: the app's session.
  /// - Returns: nil for an address without one.
  /// - Throws: `invalidProviderResponse` for an answer that this server did not seal, that is too old, or that another app
  ///   requested.
  package func open(requestURI: String, sessionID: String, now: Instant) throws(AccountError) -> Answer? {
    let query = requestURI.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
    let found = PercentEncoding.pairs(query.utf8)?.filter { $0.name == Self.parameter } ?? []
    guard let text = found.first?.value else { return nil }
    guard found.count == 1, text.utf8.count <= Self.textBytesMax,
      let bytes = context.keys.unseal(text, for: Self.purpose),
      let json = JSON(parsing: bytes), let providerID = json["p"]?.string, let url = json["u"]?.string,
      let session = json["s"]?.string, let digest = json["d"]?.string.flatMap({ Digest(hex: $0) }),
      let end = json["e"]?.int
    else {
      throw AccountError(.invalidProviderResponse, "The requestUri was not issued by this server's sign-in page.")
    }
    guard ConstantTime.equal(Digest(sha256: sessionID.utf8).bytes, digest.bytes) else {
      throw AccountError(.invalidProviderResponse, "The requestUri belongs to another app or another sign-in.")
    }
    guard now.wallMilliseconds / 1000 < end else {
      throw AccountError(.invalidProviderResponse, "The sign-in took too long. Start again.")
    }
    return Answer(providerID: providerID, url: url, sessionID: session)
  }
}
