import HearthEngine

/// An administrator whose credential was verified, and the request that they make. What only administrators may do takes
/// one of these, so that nothing else can ask for it.
package struct Administrator: Sendable {
  /// As the audit trail names them.
  package var name: String
  /// Where the request comes from.
  package var client: ClientInfo
  /// The moment of the request.
  package var now: Instant

  /// - Parameter name: whose verified credential it is, for the audit trail.
  package init(name: String, client: ClientInfo, now: Instant) {
    self.name = name
    self.client = client
    self.now = now
  }

  /// An event that they caused.
  func event(_ kind: AuditEvent.Kind, _ user: UserRecord? = nil, detail: String? = nil) -> AuditEvent {
    let text = [detail, "by \(name)"].compactMap(\.self).joined(separator: ", ")
    return AuditEvent(kind, uid: user?.uid, email: user?.email, client: client, detail: text)
  }
}
