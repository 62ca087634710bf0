import HearthPlugin
import HearthTree

/// The member `trust` of the operator's file:
///
///     "trust": {
///       "firebaseProjects": ["my-app"],
///       "issuers": [
///         { "issuer": "https://id.example.com", "audiences": ["my-api"],
///           "uidPrefix": "ext:",                                 // default: the issuer's host and a colon
///           "keysURL": "https://id.example.com/jwks.json" }      // default: by the issuer's configuration document
///       ],
///       "trustedHosts": ["id.internal"], "authorityFile": "/etc/hearth/ca.pem", "allowsPlainHTTP": false
///     }
extension TrustedIssuers {
  /// The maximum number of issuers.
  static let countMax = 32

  mutating func read(_ object: inout ConfigurationObject) throws(SettingsError) {
    for (index, project) in (try object.texts("firebaseProjects") ?? []).enumerated() {
      guard Self.isProjectID(project) else {
        throw object.wrong("firebaseProjects[\(index)]", "must be the id of a Firebase project, such as my-app")
      }
      issuers.append(.firebase(projectID: project))
    }
    for var entry in try object.objects("issuers") ?? [] { issuers.append(try TrustedIssuer(&entry)) }
    if let hosts = try object.texts("trustedHosts") { trustedHosts = hosts.map { $0.lowercased() } }
    try object.read("allowsPlainHTTP", into: &allowsPlainHTTP)
    if object.value("authorityFile") != nil {
      var path = ""
      try object.read("authorityFile", into: &path)
      authorityFile = path
    }
    try object.end()
  }

  /// Checks that the issuers of the file and of flags differ, and their number.
  func validate() throws(SettingsError) {
    guard issuers.count <= Self.countMax else { throw SettingsError("trust", "has more than \(Self.countMax) issuers") }
    for (index, issuer) in issuers.enumerated()
    where issuers[..<index].contains(where: { $0.issuer.utf8.elementsEqual(issuer.issuer.utf8) }) {
      throw SettingsError("trust", "names the issuer \(issuer.issuer) twice")
    }
  }

  /// Returns true for a text of 1 to 64 lower-case letters, digits, `-`, `.` and `:`, as project ids are.
  package static func isProjectID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { AccountsConfiguration.isNameByte($0) || $0 == UInt8(ascii: ":") }
  }
}

extension TrustedIssuer {
  /// The maximum size of a prefix of uids, in bytes.
  package static let uidPrefixBytesMax = 64

  fileprivate init(_ object: inout ConfigurationObject) throws(SettingsError) {
    var issuer = ""
    try object.read("issuer", into: &issuer)
    guard Self.isURL(issuer) else {
      throw object.wrong("issuer", "must be the issuer's URL, exactly as in the tokens' iss: https://id.example.com")
    }
    guard let audiences = try object.texts("audiences"), !audiences.isEmpty else {
      throw object.wrong("audiences", "must name the accepted values of aud: a token for another app is not accepted")
    }
    self.init(issuer: issuer, audiences: audiences, uidPrefix: Self.uidPrefix(of: issuer))
    if let prefix = object.value("uidPrefix") {
      guard let text = prefix.string, Self.isUIDPrefix(text) else {
        throw object.wrong(
          "uidPrefix",
          "must be a string of up to \(Self.uidPrefixBytesMax) visible characters; \"\" keeps sub as the uid")
      }
      uidPrefix = text
    }
    if object.value("keysURL") != nil {
      var url = ""
      try object.read("keysURL", into: &url)
      guard Self.isURL(url) else { throw object.wrong("keysURL", "must be the URL of a JSON Web Key Set") }
      keysURL = url
    }
    try object.end()
  }

  /// Returns the default prefix of the uids of an issuer's users: its host and a colon.
  package static func uidPrefix(of issuer: String) -> String {
    let authority = issuer.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
    return String(authority.prefix { $0 != ":" && $0 != "?" && $0 != "#" }.prefix(uidPrefixBytesMax - 1)) + ":"
  }

  /// Returns true for an http or https URL of visible ASCII characters.
  package static func isURL(_ text: String) -> Bool {
    (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.utf8.count <= 1_000
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && text.split(separator: "/", omittingEmptySubsequences: true).count > 1
  }

  /// Returns true for a text that can begin a uid.
  package static func isUIDPrefix(_ text: String) -> Bool {
    text.utf8.count <= uidPrefixBytesMax && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
