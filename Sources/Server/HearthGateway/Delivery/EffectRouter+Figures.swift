/// How the clients of one event loop are at one moment.
package struct LoopFigures: Sendable {
  /// Conversations and streams.
  package var clientCount: Int
  /// Those that have shown a credential.
  package var signedInCount: Int
  /// Requests over HTTP that wait for a database.
  package var requestCount: Int
  /// Clients that are not read.
  package var pausedCount: Int
  /// Recipients of effects that wait for the loop.
  package var waitingRecipientCount: Int
}

extension EffectRouter {
  /// How each loop is, in order; one that has ended is left out. Waits for their turns.
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
