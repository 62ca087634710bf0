import HearthAccounts
import HearthTree

/// Calls the identity interface as an app would, for the pages behind the links in mails: a code has one meaning
/// everywhere.
struct ActionCalls: Sendable {
  let endpoints: IdentityEndpoints
  /// The request for the page.
  let request: IdentityRequest

  /// The members of the reply, or the error code; an empty code when the server could not answer.
  enum Answer {
    case done(JSON)
    case refused(code: String, detail: String)
  }

  func call(_ operation: String, _ members: [JSON.Member]) async -> Answer {
    let apiKey = endpoints.accounts.configuration.apiKeys?.min() ?? "action-page"
    let call = IdentityRequest(
      method: "POST", path: "/identitytoolkit.googleapis.com/v1/" + operation, contentType: "application/json",
      body: JSON.object(members).text(), apiKey: apiKey, client: request.client,
      isFromLoopback: request.isFromLoopback, now: request.now)
    guard let response = await endpoints.handle(call), let reply = JSON(parsing: response.body) else {
      return .refused(code: "", detail: "")
    }
    guard response.status != 200 else { return .done(reply) }
    guard response.status < 500, let message = reply["error"]?["message"]?.string else {
      return .refused(code: "", detail: "")
    }
    let code = message.prefix { $0 != " " }
    return .refused(code: String(code), detail: String(message.dropFirst(code.count + 3)))
  }
}
