import HearthPlugin
import HearthTree

/// The member `trust` of the operator's file:
///
///     "trust": {
///       "firebaseProjects": ["my-app", { "id": "shop", "databases": ["shop"], "userLookup": { "keyFile": "key.json" } }],
///       "issuers": [
///         { "issuer": "https://id.example.com", "audiences": ["my-api"],
///           "uidPrefix": "ext:",                                 // default: the issuer's host and a colon
///           "keysURL": "https://id.example.com/jwks.json",       // default: by the issuer's configuration document
///           "databases": ["shop"],                               // default: all
///           "userLookup": { "keyFile": "key.json", "url": "https://…:lookup", "intervalSeconds": 60 } }
///       ],
///       "trustedHosts": ["id.internal"], "authorityFile": "/etc/hearth/ca.pem", "allowsPlainHTTP": false
///     }
extension TrustedIssuers {
  /// The maximum number of issuers.
  static let countMax = 32
  /// The members that administrators may change while the server runs. The others decide which addresses the server
  /// may call, and which files it reads.
  private static let changeable = ["firebaseProjects", "issuers"]

  /// Reads the settings. Each list replaces the earlier one as a whole; an issuer without `userLookup` keeps its earlier
  /// one.
  mutating func read(_ object: inout ConfigurationObject) throws(SettingsError) {
    let lookups = all.filter { $0.userLookup != nil }
    if let projects = object.value("firebaseProjects") {
      guard let elements = projects.array else {
        throw object.wrong("firebaseProjects", "must be an array: [\"my-app\"]")
      }
      firebaseProjects = []
      for (index, element) in elements.enumerated() {
        firebaseProjects.append(
          try TrustedIssuer(project: element, at: object.location(of: "firebaseProjects[\(index)]")))
      }
    }
    if let entries = try object.objects("issuers") {
      issuers = []
      for var entry in entries { issuers.append(try TrustedIssuer(&entry)) }
    }
    if let hosts = try object.texts("trustedHosts") { trustedHosts = hosts.map { $0.lowercased() } }
    try object.read("allowsPlainHTTP", into: &allowsPlainHTTP)
    if object.value("authorityFile") != nil {
      var path = ""
      try object.read("authorityFile", into: &path)
      authorityFile = path
    }
    try object.end()
    func keepLookup(_ issuer: inout TrustedIssuer) {
      if issuer.userLookup == nil { issuer.userLookup = lookups.first { $0.isSameIssuer(as: issuer) }?.userLookup }
    }
    for i in firebaseProjects.indices { keepLookup(&firebaseProjects[i]) }
    for i in issuers.indices { keepLookup(&issuers[i]) }
  }

  /// Checks the issuers of the file and of flags together.
  func validate() throws(SettingsError) {
    let all = all
    guard all.count <= Self.countMax else { throw SettingsError("trust", "has more than \(Self.countMax) issuers") }
    for (index, issuer) in all.enumerated() {
      for other in all[..<index] where other.isSameIssuer(as: issuer) {
        guard Set(other.audiences).isDisjoint(with: issuer.audiences) else {
          throw SettingsError("trust", "names the issuer \(issuer.issuer) twice for one audience")
        }
        guard other.keysURL == issuer.keysURL else {
          throw SettingsError("trust", "names different keysURL for the issuer \(issuer.issuer)")
        }
      }
    }
  }

  /// Checks that an administrator may make these changes while the server runs.
  ///
  /// - Throws: `invalidArgument`.
  static func checkChange(_ settings: JSON) throws(AccountError) {
    for member in settings.members ?? [] {
      guard changeable.contains(member.name) else {
        throw AccountError(.invalidArgument, "trust.\(member.name) can only be set in the configuration file")
      }
      for entry in member.value.array ?? [] where entry["userLookup"] != nil {
        throw AccountError(.invalidArgument, "userLookup can only be set in the configuration file")
      }
    }
  }

  /// The settings that administrators may change, as ``read(_:)`` reads them.
  package var json: JSON {
    [
      "firebaseProjects": .array(
        firebaseProjects.map { project in
          var json: JSON = ["id": .string(project.audiences[0])]
          json["databases"] = project.databases.map { .array($0.map { .string($0) }) }
          return json
        }), "issuers": .array(issuers.map(\.json)),
    ]
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

  /// Reads a Firebase project: its id, or an object.
  fileprivate init(project json: JSON, at location: String) throws(SettingsError) {
    var (id, object): (String?, ConfigurationObject?) = (json.string, nil)
    if json.members != nil {
      object = try ConfigurationObject(json, at: location)
      id = object?.value("id")?.string
    }
    guard let id, TrustedIssuers.isProjectID(id) else {
      throw SettingsError(
        location, "must be the id of a Firebase project, such as my-app, or an object with such an id")
    }
    self = .firebase(projectID: id)
    guard var object else { return }
    try readDatabases(&object)
    try readLookup(&object, urlDefault: UserLookup.url(projectID: id))
    try object.end()
  }

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
    try readDatabases(&object)
    try readLookup(&object, urlDefault: nil)
    try object.end()
  }

  private mutating func readDatabases(_ object: inout ConfigurationObject) throws(SettingsError) {
    guard let names = try object.texts("databases") else { return }
    guard !names.isEmpty else {
      throw object.wrong("databases", "names no database; omit it to open all, or remove the issuer")
    }
    databases = names
  }

  private mutating func readLookup(
    _ object: inout ConfigurationObject, urlDefault: String?
  ) throws(SettingsError) {
    guard var object = try object.object("userLookup") else { return }
    var (path, url) = ("", urlDefault ?? "")
    try object.read("keyFile", into: &path)
    guard !path.isEmpty else { throw object.wrong("keyFile", "must be the path of a service account's key file") }
    try object.read("url", into: &url)
    guard Self.isURL(url) else { throw object.wrong("url", "must be the URL of the issuer's accounts:lookup") }
    var lookup = UserLookup(keyFile: path, url: url)
    try object.read("intervalSeconds", into: &lookup.intervalSeconds, 5...3_600)
    try object.end()
    userLookup = lookup
  }

  /// Returns true when both name the same issuer.
  func isSameIssuer(as other: TrustedIssuer) -> Bool { issuer.utf8.elementsEqual(other.issuer.utf8) }

  fileprivate var json: JSON {
    var json: JSON = [
      "issuer": .string(issuer), "audiences": .array(audiences.map { .string($0) }), "uidPrefix": .string(uidPrefix),
    ]
    json["keysURL"] = keysURL.map { .string($0) }
    json["databases"] = databases.map { .array($0.map { .string($0) }) }
    return json
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
