import HearthTree

/// `/` and `/.ready`, for anybody.
extension RESTHandler {
  func health(_ request: RESTRequest) throws(RESTFailure) -> RESTResponse {
    guard request.method.isRead else { throw request.target == .health ? .missingSuffix : .methodNotAllowed }
    let health = ServerHealth(services)
    var members: [JSON.Member] =
      request.target == .health
      ? [.init("status", .string(health.isGood ? "ok" : "unavailable"))]
      : [
        .init("ready", .bool(health.isGood)), .init("databases", .string(health.databases.rawValue)),
        .init("accounts", .string(health.accounts.rawValue)),
      ]
    if let text = health.text { members.append(.init("error", .string(text))) }
    // Tools that start an emulator wait for this.
    if request.target == .health, services.isEmulator {
      members.append(.init("authEmulator", .object([.init("ready", .bool(true))])))
    }
    return RESTResponse(status: health.isGood ? 200 : 503, body: JSON.object(members).text())
  }
}
