import HearthEngine

/// What the server's edge asks beside requests.
extension Accounts {
  /// Whether a database secret from that address is looked at: not for a while after many wrong ones. Access tokens of
  /// 256 random bits are not subject to it; they cannot be guessed, and nobody is to lock the operator out.
  public func admitsSecret(from address: String, now: Instant) -> Bool {
    throttle.admitAdminTry(address: address, now: now)
  }

  /// Counts a credential that was neither a token nor a secret.
  public func secretWasWrong(from address: String, now: Instant) {
    throttle.adminTryFailed(address: address, now: now)
  }

  /// Waits until the mails that were promised are sent, but not for long. For a server that stops.
  public func finishMails() async {
    await Deadline.run(milliseconds: 3_000) { [mails] in await mails.idle() }
  }

  /// Seconds that one password hash takes on this machine. Blocks for as long.
  public func measurePasswordHash() -> Double { pool.measure() }
}
