/// A connection that the loop supervises.
package protocol TransportConnection: AnyObject {
  /// Closes the connection, or ends its request, when a time limit has passed. Called once a second.
  func sweep()
  /// Completes what is in progress and closes, because the server is stopping.
  func shutDown()
  /// Closes at once.
  func abort()
  /// Updates the connection's memory share with the bytes that wait for the client now.
  func countOutbound()
  /// Frees the connection's memory, because the total for all clients is over its limit and this one has the largest
  /// share: closes, or responds that the server is overloaded.
  func giveUpMemory()
}

extension TransportConnection {
  /// The default: no output waits for the client.
  package func countOutbound() {}
  /// The default: closes.
  package func giveUpMemory() { abort() }
}
