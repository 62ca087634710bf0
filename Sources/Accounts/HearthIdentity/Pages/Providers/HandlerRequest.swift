import HearthAccounts
import HearthTree

/// The parameters with which an SDK opens the handler.
struct HandlerRequest: Sendable, Equatable {
  /// The operation that the app wants to do with the result. The texts are the SDKs'.
  enum Kind: String, Sendable {
    case signInViaPopup, linkViaPopup, reauthViaPopup
    case signInViaRedirect, linkViaRedirect, reauthViaRedirect

    /// True when the app's own page is redirected to the provider, and back.
    var isRedirect: Bool { rawValue.hasSuffix("Redirect") }
    /// True when a signed-in user authenticates again.
    var isReauthentication: Bool { rawValue.hasPrefix("reauth") }
  }

  /// The longest redirect URL: a visit is stored in a cookie, which browsers limit to 4,096 bytes.
  static let redirectURLBytesMax = 1_500

  var kind: Kind
  var apiKey: String
  /// The app's name in its page.
  var appName: String
  /// The id of the sign-in that the app waits for.
  var eventID: String?
  var providerID: String
  /// The URL of the app's page.
  var redirectURL: String
  var tenantID: String?
  var scopes: [String]
  var parameters: [String: String]

  /// Reads the query; nil when a part is missing, comes twice, or is too long.
  init?(_ query: [(name: String, value: String)]) {
    guard let parts = PageQuery(query), let kind = parts.text("authType").flatMap(Kind.init),
      let apiKey = parts.text("apiKey"), let appName = parts.text("appName"), let providerID = parts.text("providerId"),
      let redirectURL = parts.text("redirectUrl", sizeBytesMax: 16_384), let parameters = parts.customParameters
    else { return nil }
    self.kind = kind
    self.apiKey = apiKey
    self.appName = appName
    self.providerID = providerID
    self.redirectURL = redirectURL
    self.parameters = parameters
    eventID = parts.text("eventId")
    tenantID = parts.tenantID
    scopes = parts.scopes
  }

  /// The parts that the app's event repeats, in the form that a visit stores.
  var memo: String {
    var members = [JSON.Member("k", .string(kind.rawValue)), .init("a", .string(apiKey)), .init("n", .string(appName))]
    if let eventID { members.append(.init("i", .string(eventID))) }
    if let tenantID { members.append(.init("t", .string(tenantID))) }
    if kind.isRedirect { members.append(.init("r", .string(redirectURL))) }
    return String(decoding: JSON.object(members).text(), as: UTF8.self)
  }
}

/// The event for the SDK in the app's page, and the page that receives it.
struct HandlerEvent: Sendable {
  var kind: HandlerRequest.Kind
  var apiKey: String
  var appName: String
  var eventID: String?
  /// The tenant; nil for the project itself.
  var tenantID: String?
  /// The page to redirect to; nil for the page that opened this one.
  var redirectURL: String?

  init?(memo: String) {
    guard let json = JSON(parsing: memo.utf8), let kind = json["k"]?.string.flatMap(HandlerRequest.Kind.init),
      let apiKey = json["a"]?.string, let appName = json["n"]?.string
    else { return nil }
    self.kind = kind
    self.apiKey = apiKey
    self.appName = appName
    eventID = json["i"]?.string
    tenantID = json["t"]?.string
    redirectURL = json["r"]?.string
  }

  init(_ request: HandlerRequest) {
    kind = request.kind
    apiKey = request.apiKey
    appName = request.appName
    eventID = request.eventID
    tenantID = request.tenantID
    redirectURL = kind.isRedirect ? request.redirectURL : nil
  }

  /// The outcome of the visit.
  enum Outcome {
    /// - Parameters:
    ///   - url: the address that the provider redirected the browser to.
    ///   - sessionID: the session that the SDK shows together with it.
    case answer(url: String, sessionID: String)
    /// An error of the SDK, `auth/user-cancelled`.
    case error(code: String, message: String)
    /// The page computes the result itself.
    case open
  }

  /// The JSON text that the page's script reads.
  func text(_ outcome: Outcome) -> String {
    var (url, session, error) = (JSON.null, JSON.null, JSON.null)
    switch outcome {
    case .answer(let text, let sessionID): (url, session) = (.string(text), .string(sessionID))
    case .error(let code, let message):
      error = .object([.init("code", .string(code)), .init("message", .string(message))])
    case .open: break
    }
    let event = JSON.object([
      .init("type", .string(kind.rawValue)), .init("eventId", eventID.map { .string($0) } ?? .null),
      .init("urlResponse", url), .init("sessionId", session), .init("postBody", .null),
      .init("tenantId", tenantID.map { .string($0) } ?? .null),
      .init("error", error),
    ])
    let message = JSON.object([
      .init("storageKey", .string(HandlerScripts.storageKey(apiKey: apiKey, appName: appName))),
      .init("redirectUrl", redirectURL.map { .string($0) } ?? .null), .init("event", event),
    ])
    return String(decoding: message.text(), as: UTF8.self)
  }
}
