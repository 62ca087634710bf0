import HearthTree

/// Routes of test suites that run against an emulator. They exist only on a server that was started for development, and
/// only for clients on the same machine.
extension Accounts {
  private func requireEmulator(_ call: IdentityCall) throws(AccountError) {
    guard configuration.isEmulator, call.isFromLoopback else { throw AccountError(.notFound) }
  }

  /// Deletes every account, and every trace that it was there: test suites use the same uids again.
  func deleteAllAccounts(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try requireEmulator(call)
    let uids = try await store.transact { (transaction) throws(AccountError) -> [String] in
      let uids = transaction.users(limit: .max).map(\.uid)
      transaction.deleteEverybody()
      transaction.audit(call.event(.userDeleted, detail: "all \(uids.count) accounts of the emulator"))
      return uids
    }
    for uid in uids { onRevocation(.user(uid: uid), .userDeleted) }
    return .object([])
  }

  /// What a developer's server keeps with a ticket so that test suites can read it; nil on every other server.
  func shownCode(_ code: NewCode, _ link: String) -> String? {
    guard configuration.isEmulator else { return nil }
    let details = JSON.object([
      JSON.Member("oobCode", .string(code.text)), JSON.Member("oobLink", .string(link)),
    ])
    return String(decoding: details.text(), as: UTF8.self)
  }

  /// The codes that were mailed and still count, for tests that cannot read mail.
  func listCodes(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try requireEmulator(call)
    let codes = store.view.allTickets(limit: 1_000).compactMap { ticket -> JSON? in
      guard call.nowSeconds < ticket.expiresAtSeconds, let details = ticket.details.flatMap({ JSON(parsing: $0.utf8) }),
        let code = details["oobCode"]?.string
      else { return nil }
      var shown = ReplyObject()
      shown.set("email", ticket.email)
      // A code that takes an address back names no other.
      if ticket.purpose == .verifyAndChangeEmail { shown.set("newEmail", ticket.newEmail) }
      shown.set("requestType", ticket.purpose.rawValue)
      shown.set("oobCode", code)
      shown.set("oobLink", details["oobLink"])
      return shown.json
    }
    return .object([JSON.Member("oobCodes", .array(codes))])
  }
}
