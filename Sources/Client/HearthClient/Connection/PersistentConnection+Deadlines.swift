import HearthWire

// A single timer serves all deadlines. The owner of the connection reads the next deadline after each input.

extension PersistentConnection {
  /// The time on the monotonic clock at which ``ConnectionInput/timer`` is due; nil when no timer is needed.
  var deadline: Int64? {
    var deadlines: [Int64] = []
    switch phase {
    case .resting: break
    case .waiting(let until): deadlines.append(until)
    case .fetchingTokens(let since): deadlines.append(since + settings.tokenTimeout)
    case .opening(let since): deadlines.append(since + settings.openTimeout)
    case .greeting(let since): deadlines.append(since + settings.helloTimeout)
    case .authenticating, .connected:
      if let link {
        deadlines.append(link.lastTraffic + settings.keepaliveInterval)
        if link.isWritable { deadlines.append(link.lastAlive + settings.silenceMax) }
      }
    }
    return deadlines.min()
  }

  mutating func timer(at now: ConnectionTime) {
    switch phase {
    case .resting: break
    case .waiting(let until): if now.monotonic >= until { begin(at: now) }
    case .fetchingTokens(let since):
      if now.monotonic >= since + settings.tokenTimeout { tokensFailed("none came", at: now) }
    case .opening(let since):
      if now.monotonic >= since + settings.openTimeout { closed("it did not open in time", at: now) }
    case .greeting(let since):
      if now.monotonic >= since + settings.helloTimeout { closed("the server did not greet in time", at: now) }
    case .authenticating, .connected: watch(at: now)
    }
  }

  private mutating func watch(at now: ConnectionTime) {
    guard let link else { return }
    if link.isWritable, now.monotonic >= link.lastAlive + settings.silenceMax {
      return closed("nothing came from the server for \(settings.silenceMax / 1_000) seconds", at: now)
    }
    if now.monotonic >= link.lastTraffic + settings.keepaliveInterval {
      self.link?.lastTraffic = now.monotonic
      act(.send(attempt: attempt, [[UInt8(ascii: "0")]]))
      act(.ping(attempt: attempt))
    }
  }
}
