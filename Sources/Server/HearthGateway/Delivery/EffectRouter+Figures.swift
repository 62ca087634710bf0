/// The state of the clients of one event loop.
package struct LoopFigures: Sendable {
  /// The number of sockets, poll sessions and streams.
  package var clientCount: Int
  /// The number of clients that are signed in.
  package var signedInCount: Int
  /// The number of HTTP requests that wait for a database.
  package var requestCount: Int
  /// The number of clients whose reading is paused.
  package var pausedCount: Int
  /// The number of recipients of effects that wait for the loop.
  package var waitingRecipientCount: Int
}

extension EffectRouter {
  /// Returns the figures of each loop, in order; a loop that has ended is left out. Waits for their turns.
  package func figures() async -> [LoopFigures] {
    var figures: [LoopFigures] = []
    for inbox in inboxes {
      let waitingCount = inbox.waitingRecipientCount
      let loop = await inbox.ask { hub in
        let load = hub.load
        return LoopFigures(
          clientCount: load.clients, signedInCount: load.signedIn, requestCount: load.requests,
          pausedCount: load.paused, waitingRecipientCount: waitingCount)
      }
      if let loop { figures.append(loop) }
    }
    return figures
  }
}
