/// A connection that the loop supervises.
package protocol TransportConnection: AnyObject {
  /// Ends overdue work. Called once a second.
  func sweep()
  /// Finishes and closes, because the server is stopping.
  func shutDown()
  /// Closes at once.
  func abort()
  /// Updates the connection's memory share with the bytes that wait for the client now.
  func countOutbound()
  /// Gives up the connection's memory because too much is held for all clients, and most for this one: closes, or
  /// responds that the server is overloaded.
  func giveUpMemory()
}

extension TransportConnection {
  /// The default: no output waits for the client.
  package func countOutbound() {}
  /// The default: closes.
  package func giveUpMemory() { abort() }
}
