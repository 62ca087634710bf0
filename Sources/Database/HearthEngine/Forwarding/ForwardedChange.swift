import HearthTree

/// A change that one server receives and another one decides, with all inputs of the decision apart from the state.
///
/// It has no deadline of the credential: the receiving server watches that deadline, because it keeps the client's
/// connection.
package struct ForwardedChange: Sendable {
  /// The requested action.
  package enum Action: Sendable {
    /// A write.
    case write(WriteOperation)
    /// An on-disconnect write for the session.
    case onDisconnect(WriteOperation.Change)
    /// The cancellation of on-disconnect writes at and below this location.
    case cancelOnDisconnect(Location)
    /// A change of the session's identity to ``ForwardedChange/principal``, which its on-disconnect writes use as well.
    case authenticate
    /// A deploy of rules, as their text.
    case deployRules(String)
    /// No change; its answer confirms that all earlier changes are decided.
    case barrier
  }

  /// The principal of the decision.
  package var principal: Principal
  /// The class of the client's address.
  package var address: AddressClass
  /// The requested action.
  package var action: Action
  /// True when the answer to a write contains the written data, with server values filled in.
  package var showsResult: Bool

  /// Creates a change.
  package init(
    _ action: Action, as principal: Principal, from address: AddressClass = .unknown, showsResult: Bool = false
  ) {
    (self.action, self.principal, self.address, self.showsResult) = (action, principal, address, showsResult)
  }

  /// Returns the approximate size of ``encoded`` in bytes; nil when it exceeds `limit`, or can only be found by
  /// encoding.
  package func sizeBytes(upTo limit: Int) -> Int? {
    guard case .write(let operation) = action else { return nil }
    let size = operation.change.heldBytes(upTo: limit)
    return size > limit ? nil : size
  }
}
