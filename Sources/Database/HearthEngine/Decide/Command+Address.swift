import HearthTree

extension Command {
  /// Returns the class of the command's address: its own, or else that of its connection.
  package func address(in engine: borrowing Engine) -> AddressClass {
    address ?? engine.connections[connection]?.address ?? .unknown
  }

  /// Returns the client that sent the command, as shared limits count it.
  package func claimant(in engine: borrowing Engine) -> ShareClaimant {
    WorkPayer(self).client ?? engine.connections[connection]?.claimant ?? ShareClaimant()
  }
}
