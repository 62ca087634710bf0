import HearthEngine

/// What the server's edge asks beside requests.
extension Accounts {
  /// Puts it on record that a database secret, or a token signed with one as an administrator's, opened the data: once an
  /// hour for each secret and client. Returns at once.
  ///
  /// - Parameter id: the secret's id, as `hearth secrets list` shows it.
  public func secretWasUsed(_ id: String, from address: String, now: Instant) {
    guard secretUses.note(secret: id, address: address, nowMilliseconds: now.monotonicMilliseconds) else { return }
    let client = ClientInfo(address: address, userAgent: "", requestID: "")
    Task(executorPreference: AccountsExecutor.shared) {
      await self.auditQuietly(AuditEvent(.secretUsed, client: client, detail: "secret \(id)"))
    }
  }

  /// Puts the server's start on record: how people can sign in from now on, and whether it is a developer's server.
  public func recordStart() async {
    let ways = providers.ids.sorted().joined(separator: " ")
    await auditQuietly(
      AuditEvent(.configurationChanged, client: .server, detail: "started; sign-in: \(ways.isEmpty ? "none" : ways)"))
    if configuration.isEmulator {
      await auditQuietly(AuditEvent(.developerMode, client: .server, detail: "emulator mode"))
    }
  }

  /// Waits until the mails that were promised are sent, but not for long. For a server that stops.
  public func finishMails() async {
    await Deadline.run(milliseconds: 3_000) { [codes, mails] in
      await codes.idle()
      await mails.idle()
    }
  }

  /// Seconds that one password hash takes on this machine. Blocks for as long.
  public func measurePasswordHash() -> Double { pool.measure() }
}
