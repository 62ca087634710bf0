import HearthTree

extension Command {
  /// Returns the place where it comes from: what it says, or else what its connection said when it began.
  package func address(in engine: borrowing Engine) -> AddressClass {
    address ?? engine.connections[connection]?.address ?? .unknown
  }

  /// The client that sent it, as shared bounds count it.
  package func claimant(in engine: borrowing Engine) -> ShareClaimant {
    WorkPayer(self).client ?? engine.connections[connection]?.claimant ?? ShareClaimant()
  }
}
