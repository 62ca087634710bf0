import HearthAccounts
import HearthTree

/// The parameters with which an app's SDK on a device opens the handler.
struct NativeRequest: Sendable, Equatable {
  /// The purpose of the request.
  enum Purpose: Sendable, Equatable {
    /// A captcha token.
    case captcha
    /// A credential of a provider.
    ///
    /// - Parameter digest: the digest of the app's session.
    case signIn(providerID: String, digest: String)
  }

  private static let captchaType = "verifyApp"
  /// The sign-in types of native SDKs, and of Cordova apps.
  private static let signInTypes: Set<String> = [
    "signInWithRedirect", "linkWithRedirect", "reauthWithRedirect", "signInViaRedirect", "linkViaRedirect",
    "reauthViaRedirect",
  ]

  var purpose: Purpose
  /// The type that the SDK named, returned unchanged.
  var authType: String
  var apiKey: String
  /// The id of the event that the app waits for; letters, digits and hyphens.
  var eventID: String?
  var app: NativeApp
  var tenantID: String?
  var scopes: [String]
  var parameters: [String: String]
  /// A language for the widget; nil leaves it to the browser.
  var language: String?

  /// Returns true when the query is a native app's, valid or not.
  static func isNativeRequest(_ query: [(name: String, value: String)]) -> Bool {
    query.contains {
      ["ibi", "apn", NativeApp.loopbackParameter].contains($0.name)
        || ($0.name == "authType" && $0.value == captchaType)
    }
  }

  /// Reads the query; nil when a part is missing, comes twice, or is invalid.
  init?(_ query: [(name: String, value: String)]) {
    guard let parts = PageQuery(query), let authType = parts.text("authType"), let apiKey = parts.text("apiKey"),
      let app = NativeApp(parts), let parameters = parts.customParameters
    else { return nil }
    eventID = parts.text("eventId")
    if eventID == nil, parts.has("eventId") { return nil }
    if let eventID { guard Self.isWord(eventID) else { return nil } }
    if authType == Self.captchaType {
      // Without it the app's SDK could not match the answer, and would refuse it.
      guard eventID != nil, app != .ios(bundleID: app.id, .bundleID) else { return nil }
      purpose = .captcha
    } else {
      guard Self.signInTypes.contains(authType), let providerID = parts.text("providerId"),
        let digest = parts.text("sessionId"), NativeAnswers.isDigest(digest)
      else { return nil }
      purpose = .signIn(providerID: providerID, digest: digest)
    }
    self.authType = authType
    self.apiKey = apiKey
    self.app = app
    self.parameters = parameters
    tenantID = parts.tenantID
    scopes = parts.scopes
    // Android names all languages of its user: "es-ES, en-US".
    language = parts.text("hl")?.split(separator: ",").first.map { String($0) }.flatMap { Self.isWord($0) ? $0 : nil }
  }

  private static func isWord(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
  }
}

/// The event that an app on a device waits for during a visit to a provider.
struct NativeEvent: Sendable, Equatable {
  var authType: String
  var eventID: String?
  var app: NativeApp
  var providerID: String
  /// The digest of the app's session.
  var digest: String

  /// Creates the event of a sign-in; nil for a request of another purpose.
  init?(_ request: NativeRequest) {
    guard case .signIn(let providerID, let digest) = request.purpose else { return nil }
    (authType, eventID, app) = (request.authType, request.eventID, request.app)
    (self.providerID, self.digest) = (providerID, digest)
  }

  /// The text that a visit stores.
  var memo: String {
    var members = [
      JSON.Member("x", .string(authType)), .init("p", .string(providerID)), .init("d", .string(digest)),
    ]
    if let eventID { members.append(.init("i", .string(eventID))) }
    return String(decoding: JSON.object(members + app.members).text(), as: UTF8.self)
  }

  init?(memo: String) {
    guard let json = JSON(parsing: memo.utf8), let authType = json["x"]?.string, let providerID = json["p"]?.string,
      let digest = json["d"]?.string, let app = NativeApp(members: json)
    else { return nil }
    (self.authType, self.app, self.providerID, self.digest) = (authType, app, providerID, digest)
    eventID = json["i"]?.string
  }
}
