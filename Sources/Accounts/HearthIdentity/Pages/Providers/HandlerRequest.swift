import HearthAccounts
import HearthTree

/// What an SDK opens the handler with.
struct HandlerRequest: Sendable, Equatable {
  /// What the app wants to do with what comes of it. The texts are the SDKs'.
  enum Kind: String, Sendable {
    case signInViaPopup, linkViaPopup, reauthViaPopup
    case signInViaRedirect, linkViaRedirect, reauthViaRedirect

    /// The app's own page goes to the provider, and comes back.
    var isRedirect: Bool { rawValue.hasSuffix("Redirect") }
    /// Somebody who is signed in shows once more who they are.
    var isReauthentication: Bool { rawValue.hasPrefix("reauth") }
  }

  /// A visit is kept in a cookie, which browsers cut at 4,096 bytes.
  static let redirectURLBytesMax = 1_500

  var kind: Kind
  var apiKey: String
  /// The app's name in its page.
  var appName: String
  /// Which of its sign-ins the app waits for.
  var eventID: String?
  var providerID: String
  /// The page of the app.
  var redirectURL: String
  var tenantID: String?
  var scopes: [String]
  var parameters: [String: String]

  /// Nil when a part is missing, comes twice, or is too long to be meant.
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

  /// The parts that the event for the app repeats, as a visit keeps them.
  var memo: String {
    var members = [JSON.Member("k", .string(kind.rawValue)), .init("a", .string(apiKey)), .init("n", .string(appName))]
    if let eventID { members.append(.init("i", .string(eventID))) }
    if let tenantID { members.append(.init("t", .string(tenantID))) }
    if kind.isRedirect { members.append(.init("r", .string(redirectURL))) }
    return String(decoding: JSON.object(members).text(), as: UTF8.self)
  }
}

/// What the SDK in the app's page is told, and on which of its pages.
struct HandlerEvent: Sendable {
  var kind: HandlerRequest.Kind
  var apiKey: String
  var appName: String
  var eventID: String?
  /// Nil for the project itself.
  var tenantID: String?
  /// Nil for the page that opened this one.
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

  /// What came of it.
  enum Outcome {
    /// - Parameters:
    ///   - url: where the provider sent the browser back to.
    ///   - sessionID: what the SDK shows together with it.
    case answer(url: String, sessionID: String)
    /// An error in the SDK's words, `auth/user-cancelled`.
    case error(code: String, message: String)
    /// The page makes it up itself.
    case open
  }

  /// What the page's script reads.
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
