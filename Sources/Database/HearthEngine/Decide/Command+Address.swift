extension Command {
  /// Where it comes from: what it says, or else what its connection said when it began.
  package func address(in engine: borrowing Engine) -> AddressClass {
    address ?? engine.connections[connection]?.address ?? .unknown
  }
}
