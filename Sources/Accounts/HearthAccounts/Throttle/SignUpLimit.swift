import HearthEngine

/// Counts new accounts of a client, and other requests whose responses reveal whether an address is taken.
struct SignUpLimit: Sendable {
  let throttle: Throttle

  /// - Throws: `tooManyAttempts` above the limit of the client's network.
  func admit(_ client: ClientInfo, isAnonymous: Bool = false, now: Instant) throws(AccountError) {
    guard throttle.admitSignUp(address: client.address, isAnonymous: isAnonymous, now: now) else {
      throw AccountError(.tooManyAttempts, "Too many new accounts or addresses from your network. Try again later.")
    }
  }
}
