import HearthCrypto
import HearthEngine
import HearthTree

/// An administrator whose credential was verified, and the request that they make. What only administrators may do takes
/// one of these, so that nothing else can ask for it.
package struct Administrator: Sendable {
  /// What they may do.
  package let authority: Authority
  /// The place where the request comes from.
  package var client: ClientInfo
  /// The moment of the request.
  package var now: Instant

  /// - Parameter authority: of their verified credential.
  package init(_ authority: Authority, client: ClientInfo, now: Instant) {
    self.authority = authority
    self.client = client
    self.now = now
  }

  /// The operator.
  ///
  /// - Parameter name: for the audit trail.
  package init(name: String, client: ClientInfo, now: Instant) {
    self.init(.operator(name: name), client: client, now: now)
  }

  /// As the audit trail names them.
  package var name: String { authority.administratorName ?? "nobody" }

  /// Holds a change of an account against what the console's claim opens: an account that has it, or would have it, is
  /// changed by the operator or in the console, and by no service account, which could make itself a way in.
  ///
  /// - Parameters:
  ///   - before: the account as it is; nil for a new one.
  ///   - after: the account as it is to be.
  ///   - claim: of users who may open the console; nil where no account does.
  /// - Throws: `insufficientPermission`.
  package func requireMayChange(
    _ before: UserRecord?, to after: UserRecord, consoleClaim claim: String?
  ) throws(AccountError) {
    guard let claim, authority.verdict(on: .changeServer) == .refused else { return }
    guard before?.hasClaim(claim) != true, !after.hasClaim(claim) else {
      throw AccountError(
        .insufficientPermission, "Accounts that open the console are the operator's; a service account changes none.")
    }
  }

  /// An event that they caused.
  func event(_ kind: AuditEvent.Kind, _ user: UserRecord? = nil, detail: String? = nil) -> AuditEvent {
    let text = [detail, "by \(name)"].compactMap(\.self).joined(separator: ", ")
    return AuditEvent(kind, uid: user?.uid, email: user?.email, client: client, detail: text)
  }
}

extension UserRecord {
  /// Returns true when an administrator gave the account a claim of that name, whatever its value is.
  func hasClaim(_ name: String) -> Bool {
    customAttributes.flatMap { JSON(parsing: $0.utf8) }?[name] != nil
  }
}
