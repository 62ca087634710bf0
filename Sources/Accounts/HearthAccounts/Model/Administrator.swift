import HearthCrypto
import HearthEngine
import HearthTree

/// An administrator with a verified credential, and their request. Functions for administrators only take this type, so
/// that other callers cannot use them.
package struct Administrator: Sendable {
  /// The administrator's permissions.
  package let authority: Authority
  /// The client of the request.
  package var client: ClientInfo
  /// The time of the request.
  package var now: Instant

  /// - Parameter authority: the authority of the verified credential.
  package init(_ authority: Authority, client: ClientInfo, now: Instant) {
    self.authority = authority
    self.client = client
    self.now = now
  }

  /// Creates the operator.
  ///
  /// - Parameter name: the administrator's name in the audit trail.
  package init(name: String, client: ClientInfo, now: Instant) {
    self.init(.operator(name: name), client: client, now: now)
  }

  /// The name in the audit trail.
  package var name: String { authority.administratorName ?? "nobody" }

  /// Checks a change of an account against the console's claim: an account that has it, or would have it, may be
  /// changed by the operator or in the console, but not by a service account, which could give itself access.
  ///
  /// - Parameters:
  ///   - before: the account as it is; nil for a new one.
  ///   - after: the account with the change.
  ///   - claim: the claim of users that may open the console; nil when no account may.
  /// - Throws: `insufficientPermission`.
  package func requireMayChange(
    _ before: UserRecord?, to after: UserRecord, consoleClaim claim: String?
  ) throws(AccountError) {
    guard let claim, !authority.actsForOperator else { return }
    guard before?.hasClaim(claim) != true, !after.hasClaim(claim) else {
      throw AccountError(
        .insufficientPermission,
        "A service account cannot change accounts that open the console. Only the operator can.")
    }
  }

  /// Checks a change of settings on which the console's safety depends where accounts can open it: the pages that receive
  /// codes and identities of sign-ins, and whether a second factor is required. Only the operator and the console may
  /// change these.
  ///
  /// - Parameters:
  ///   - settings: an object in the form of the operator's file.
  ///   - claim: the claim of users that may open the console; nil when no account may.
  /// - Throws: `insufficientPermission`.
  func requireMayChange(settings: JSON, consoleClaim claim: String?) throws(AccountError) {
    guard claim != nil, !authority.actsForOperator else { return }
    guard let name = ["authorizedDomains", "secondFactors"].first(where: { settings[$0] != nil }) else { return }
    throw AccountError(
      .insufficientPermission,
      "\(name) can only be set in the file of --auth-config, because accounts can open the console.")
  }

  /// Creates an audit event that the administrator caused.
  func event(_ kind: AuditEvent.Kind, _ user: UserRecord? = nil, detail: String? = nil) -> AuditEvent {
    let text = [detail, "by \(name)"].compactMap(\.self).joined(separator: ", ")
    var event = AuditEvent(kind, uid: user?.uid, email: user?.email, client: client, detail: text)
    event.isByAdministrator = true
    return event
  }
}

extension UserRecord {
  /// Returns true when an administrator gave the account a claim of that name, whatever its value is.
  func hasClaim(_ name: String) -> Bool {
    customAttributes.flatMap { JSON(parsing: $0.utf8) }?[name] != nil
  }
}
