import Foundation
import HearthTree

/// The account service of one project, which reports errors as ``AuthErrorCode``.
struct IdentityService: Sendable {
  var endpoint: AuthEndpoint
  var key: String
  /// The language of mails, such as `en-GB`.
  var languageCode: String?
  var tenantID: String?
  var transport: any AuthTransport
  var now: @Sendable () -> Date

  /// The maximum size of a token, a JWT of some kilobytes.
  static let tokenBytesMax = 64 * 1024
  static let uidBytesMax = 256

  /// The limits on responses, which never nest deeply or have many members.
  private static let limits: JSONLimits = {
    var limits = JSONLimits.standard
    limits.nestingMax = 32
    limits.generalValuesMax = 10_000
    return limits
  }()

  /// - Parameters:
  ///   - operation: The operation, such as `accounts:signUp`.
  ///   - version: The version of the API that has the operation.
  func call(_ operation: String, version: String = "v1", _ fields: [(String, JSON?)]) async throws -> JSON {
    var members = fields.compactMap { name, value in value.map { JSON.Member(name, $0) } }
    if let tenantID { members.append(JSON.Member("tenantId", .string(tenantID))) }
    return try await send(endpoint.toolkitURL(operation, version: version, key: key), .object(members))
  }

  private func send(_ url: URL, _ body: JSON) async throws -> JSON {
    var headers = ["Content-Type": "application/json", "X-Client-Version": "Swift/Hearth"]
    if let languageCode { headers["X-Firebase-Locale"] = languageCode }
    let answer = try await transport.send(AuthRequest(url: url, headers: headers, body: body.text()))
    let said = JSON(parsing: answer.body, limits: Self.limits)
    if (200..<300).contains(answer.status), let said, said.members != nil { return said }
    if let message = said?["error"]?["message"]?.string, !message.isEmpty {
      let reasons = said?["error"]?["errors"]?.array?.compactMap { $0["reason"]?.string } ?? []
      throw AuthErrorCode.error(ofServerMessage: message, reasons: reasons)
    }
    // An overloaded server, or a proxy, answers without an error in this API's format.
    if answer.status >= 500 || answer.status == 429 {
      throw AuthErrorCode.networkError.error("The server cannot answer at the moment (status \(answer.status)).")
    }
    throw AuthErrorCode.internalError.error(
      "The server's answer cannot be read (status \(answer.status)). Is it an account service?")
  }

  /// Fetches new tokens for a refresh token.
  func refresh(_ refreshToken: String) async throws -> UserTokens {
    let answer = try await send(
      endpoint.tokenURL(key: key),
      ["grantType": "refresh_token", "refreshToken": .string(refreshToken)])
    let idToken = answer["id_token"] ?? answer["access_token"]
    guard
      let tokens = tokens(
        idToken: idToken, refreshToken: answer["refresh_token"] ?? .string(refreshToken), life: answer["expires_in"])
    else { throw Self.noTokens }
    return tokens
  }

  static var noTokens: NSError { AuthErrorCode.internalError.error("The server's answer has no tokens.") }

  /// Returns the tokens of a response; nil when it has none.
  func tokens(of answer: JSON) -> UserTokens? {
    tokens(idToken: answer["idToken"], refreshToken: answer["refreshToken"], life: answer["expiresIn"])
  }

  private func tokens(idToken: JSON?, refreshToken: JSON?, life: JSON?) -> UserTokens? {
    guard let idToken = idToken?.string, let refreshToken = refreshToken?.string, !idToken.isEmpty,
      !refreshToken.isEmpty, idToken.utf8.count <= Self.tokenBytesMax, refreshToken.utf8.count <= Self.tokenBytesMax
    else { return nil }
    // The API specifies a string; some servers send a number. Limited to a day, which is longer than the lifetime of
    // any token.
    let stated = life?.int ?? life?.string.flatMap { Int64($0) } ?? 3600
    let seconds = TimeInterval(min(max(stated, 0), 86_400))
    return UserTokens(
      idToken: idToken, refreshToken: refreshToken, expiresAt: now().addingTimeInterval(seconds), lifeSeconds: seconds)
  }

  /// Looks up the account of an ID token.
  func lookup(_ idToken: String) async throws -> StoredUser {
    let answer = try await call("accounts:lookup", [("idToken", .string(idToken))])
    guard let users = answer["users"]?.array, users.count == 1, let record = StoredUser(users[0]) else {
      throw AuthErrorCode.internalError.error("The server's answer is not one account.")
    }
    // Databases use the account of the token, so the record must belong to the same account.
    if let claims = IDTokenPayload(idToken), let subject = claims.userID, subject != record.uid {
      throw AuthErrorCode.internalError.error("The server's answer is about another account than its token.")
    }
    return record
  }
}
