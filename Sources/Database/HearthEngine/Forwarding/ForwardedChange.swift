import HearthTree

/// A change that somebody asks one server for and another one decides, with all that deciding it needs beside the state.
///
/// What it waits for, and for how long, stays with whoever asked: a credential's deadline is not part of it.
package struct ForwardedChange: Sendable {
  /// What is asked.
  package enum Action: Sendable {
    /// Change something.
    case write(WriteOperation)
    /// Make this change when the session ends.
    case onDisconnect(WriteOperation.Change)
    /// Forget what was asked for at and below this place.
    case cancelOnDisconnect(Location)
    /// The session is ``ForwardedChange/principal`` from now on, and what it wants at its end is done as that.
    case authenticate
    /// Other rules from now on, in their text.
    case deployRules(String)
    /// Nothing; answered in its turn.
    case barrier
  }

  /// Under whom it is decided.
  package var principal: Principal
  /// The place where it came from.
  package var address: AddressClass
  /// What is asked.
  package var action: Action
  /// True when the answer to a write shows what was written, server values filled in.
  package var showsResult: Bool

  /// A change of these parts.
  package init(
    _ action: Action, as principal: Principal, from address: AddressClass = .unknown, showsResult: Bool = false
  ) {
    (self.action, self.principal, self.address, self.showsResult) = (action, principal, address, showsResult)
  }

  /// About how many bytes ``encoded`` has; nil when that is more than `limit`, or not known without encoding it.
  package func sizeBytes(upTo limit: Int) -> Int? {
    guard case .write(let operation) = action else { return nil }
    let size = operation.change.heldBytes(upTo: limit)
    return size > limit ? nil : size
  }
}
