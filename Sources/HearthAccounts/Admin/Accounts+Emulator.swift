import HearthTree

/// Routes of test suites that run against an emulator. They exist only on a server that was started for development, and
/// only for clients on the same machine.
extension Accounts {
  /// Codes in one answer, the newest: some megabytes.
  private static let codesShownMax = 10_000

  /// - Returns: what the emulator keeps for the project.
  @discardableResult
  func requireEmulator(_ call: IdentityCall) throws(AccountError) -> Emulation {
    guard let emulation = emulation(for: call) else { throw AccountError(.notFound) }
    return emulation
  }

  /// The same for a call that others may make, too: nil for them, and unless this is an emulator.
  func emulation(for call: IdentityCall) -> Emulation? { call.isFromLoopback ? emulation : nil }

  /// Deletes every account, and every trace that it was there: test suites use the same uids again.
  func deleteAllAccounts(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let emulation = try requireEmulator(call)
    let uids = try await store.transact { (transaction) throws(AccountError) -> [String] in
      let uids = transaction.users(limit: .max).map(\.uid)
      transaction.deleteEverybody()
      transaction.audit(call.event(.userDeleted, detail: "all \(uids.count) accounts of the emulator"))
      return uids
    }
    emulation.phoneCodes { $0 = PhoneCodes() }
    for uid in uids { onRevocation(.user(uid: uid), .userDeleted) }
    return .object([])
  }

  /// What a developer's server keeps with a ticket so that test suites can read it; nil on every other server.
  func shownCode(_ code: NewCode, _ link: String) -> String? {
    guard let emulation else { return nil }
    let order = emulation.nextOrder(nowMilliseconds: environment.clock().wallMilliseconds)
    let details = JSON.object([
      JSON.Member("oobCode", .string(code.text)), JSON.Member("oobLink", .string(link)),
      JSON.Member("order", .int(order)),
    ])
    return String(decoding: details.text(), as: UTF8.self)
  }

  /// The codes that were mailed and still count, the oldest first, for tests that cannot read mail.
  func listCodes(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try requireEmulator(call)
    let codes = store.view.allTickets(limit: store.limits.ticketsMax).compactMap { ticket -> (order: Int64, JSON)? in
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
      return (details["order"]?.int ?? 0, shown.json)
    }
    let listed = codes.sorted { $0.order < $1.order }.suffix(Self.codesShownMax)
    return .object([JSON.Member("oobCodes", .array(listed.map(\.1)))])
  }
}
