import HearthCrypto
import HearthPlugin

extension OAuthSettings {
  /// The settings of Apple: the app IDs whose ID tokens are accepted, and the sign-in page.
  struct Apple {
    static let issuer = "https://appleid.apple.com"
    static let pageNames = ["servicesID", "teamID", "keyID", "privateKeyFile"]

    /// The settings of sign-ins on Apple's page.
    struct Page {
      /// The client's ID on the web; apps have their bundle ID.
      var servicesID: String
      /// The assertion in place of a secret.
      var assertion: ClientAssertion
    }

    var client: IDTokenClient
    /// The issuer, which tests replace by another server.
    var issuer: String
    /// The settings of Apple's page; nil leaves the page to clients.
    var page: Page?

    init(_ object: SettingsReader) throws(SettingsError) {
      let servicesID = try object.text("servicesID")
      client = try OAuthSettings.idTokenClient(object, furtherID: servicesID, nonce: .hashed, emails: .apple)
      issuer = try object.text("issuer") ?? Self.issuer
      guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://"), !issuer.hasSuffix("/"), !issuer.contains("?"),
        !issuer.contains("#")
      else {
        throw object.error(
          "issuer", "must be a URL that begins with https://, without a query or a trailing slash")
      }
      let pem = try object.file("privateKeyFile")
      guard let servicesID, let teamID = try object.text("teamID"), let keyID = try object.text("keyID"), let pem else {
        let (there, absent) = (
          Self.pageNames.filter { object.json($0) != nil }, Self.pageNames.filter { object.json($0) == nil }
        )
        guard let first = absent.first, !there.isEmpty else { return }
        throw object.error(first, "is missing: Apple's sign-in page needs \(Self.pageNames.joined(separator: ", "))")
      }
      let made = ClientAssertion(pem: pem, keyID: keyID, issuer: teamID, subject: servicesID, audience: issuer)
      guard let assertion = made else {
        throw object.error(
          "privateKeyFile", "must be the .p8 file of the key from Apple, -----BEGIN PRIVATE KEY-----")
      }
      page = Page(servicesID: servicesID, assertion: assertion)
    }
  }
}
