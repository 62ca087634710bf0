/// Something that holds a connection open.
package protocol TransportConnection: AnyObject {
  /// Once a second: end what is overdue.
  func sweep()
  /// The server is going away: finish and close.
  func shutDown()
  /// Close now.
  func abort()
  /// Tells the connection's share of the memory what waits for the client now.
  func countOutbound()
  /// Too much is held for all clients, and most for this one: close, or answer that there is no room.
  func giveUpMemory()
}

extension TransportConnection {
  /// Nothing waits for its client.
  package func countOutbound() {}
  /// Closes.
  package func giveUpMemory() { abort() }
}
