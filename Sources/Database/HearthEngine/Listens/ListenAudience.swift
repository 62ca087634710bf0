/// The listens that receive the same events, with their recipients in one array: an event for a thousand listeners then
/// only retains the array.
struct ListenAudience<Recipient> {
  private(set) var listens: [Listen] = []

  /// The connections that receive events. A listen has no recipient when a listen of the same connection at a location
  /// above receives its events.
  private(set) var recipients: [Recipient] = []
  private(set) var recipientListens: [Listen] = []

  /// The listens whose permission depends on the time.
  private(set) var clockListens: [Listen] = []

  var isEmpty: Bool { listens.isEmpty }

  mutating func insert(_ listen: Listen) {
    listen.slot = listens.count
    listens.append(listen)
  }

  mutating func remove(_ listen: Listen) {
    setRecipient(listen, nil)
    setClock(listen, false)
    let last = listens.removeLast()
    if last !== listen {
      listens[listen.slot] = last
      last.slot = listen.slot
    }
    listen.slot = -1
  }

  /// Sets the connection that receives a listen's events; nil for none.
  mutating func setRecipient(_ listen: Listen, _ recipient: Recipient?) {
    let slot = listen.recipientSlot
    if let recipient {
      if slot >= 0 {
        recipients[slot] = recipient
      } else {
        listen.recipientSlot = recipients.count
        recipients.append(recipient)
        recipientListens.append(listen)
      }
    } else if slot >= 0 {
      let (lastRecipient, last) = (recipients.removeLast(), recipientListens.removeLast())
      if last !== listen {
        recipients[slot] = lastRecipient
        recipientListens[slot] = last
        last.recipientSlot = slot
      }
      listen.recipientSlot = -1
    }
  }

  /// Adds the listen to ``clockListens``, or removes it.
  mutating func setClock(_ listen: Listen, _ usesClock: Bool) {
    guard usesClock != (listen.clockSlot >= 0) else { return }
    if usesClock {
      listen.clockSlot = clockListens.count
      clockListens.append(listen)
    } else {
      let (slot, last) = (listen.clockSlot, clockListens.removeLast())
      if last !== listen {
        clockListens[slot] = last
        last.clockSlot = slot
      }
      listen.clockSlot = -1
    }
  }
}
