import HearthProgram
import HearthTree

/// The accounts of one project, for an administrator's commands.
struct Administration: Sendable {
  let channel: any AdminChannel
  let projectID: String
  /// The tenant of the accounts; nil for the project's own.
  var tenant: String?
  /// True when answers are printed as JSON, one value a line.
  let printsJSON: Bool
  /// The collector of revocation numbers, for a command that waits for their receipts.
  var revocations: CausedRevocations?

  var place: String { channel.place }

  /// Performs an operation on the project's accounts: `accounts` + `:lookup`; the empty name creates one.
  func accounts(_ operation: String, _ body: JSON) async throws -> JSON {
    try await send(AdminRequest(path: accountsPath("accounts" + operation), body: body))
  }

  /// Returns a page of accounts, in order of uid.
  func page(after token: String?, limit: Int) async throws -> (users: [JSON], next: String?) {
    var request = AdminRequest(
      method: "GET", path: accountsPath("accounts:batchGet"),
      query: [("maxResults", String(limit))])
    if let token { request.query.append(("nextPageToken", token)) }
    let answer = try await channel.send(request)
    let next = answer["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    return (answer["users"]?.array ?? [], next)
  }

  /// Performs one of the server's own operations on accounts.
  func hearth(_ operation: String, _ body: JSON = [:]) async throws -> JSON {
    try await send(.hearth(operation, tenant.map { body.appending(["tenantId": .string($0)]) } ?? body))
  }

  private func accountsPath(_ operation: String) -> String {
    AdminRequest.accountsPath(operation, of: projectID, tenant: tenant)
  }

  /// Sends a request; its revocations are noted for a command that waits for their receipts.
  func send(_ request: AdminRequest) async throws -> JSON {
    guard let revocations else { return try await channel.send(request) }
    var request = request
    request.query.append((CausedRevocations.parameter, "true"))
    let answer = try await channel.send(request)
    revocations.note(answer)
    return answer
  }

  /// Prints the value for a script, or the sentence for a reader.
  func report(_ json: @autoclosure () -> JSON, _ sentence: @autoclosure () -> String) {
    if printsJSON { Output.json(json()) } else { Output.line(sentence()) }
  }
}
