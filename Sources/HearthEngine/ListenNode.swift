import HearthTree

/// One place of the trie that finds the listens a commit concerns.
///
/// A node keeps the ids of those who are told as one ready array: an event for a thousand listeners of one path costs
/// one reference to it.
final class ListenNode {
  /// The last part of the path; nil at the root.
  let key: Key?
  unowned let parent: ListenNode?
  /// How many keys the path has.
  let depth: Int
  var children = DenseTable<Key, ListenNode>()
  private(set) var listens: [Listen] = []

  /// The connections of those listens that no other listen of the same connection shadows.
  private(set) var recipients: [ConnectionID] = []
  private var recipientListens: [Listen] = []

  /// The listens whose permission depends on the time.
  private(set) var clockListens: [Listen] = []

  init(key: Key?, parent: ListenNode?) {
    self.key = key
    self.parent = parent
    depth = parent.map { $0.depth + 1 } ?? 0
  }

  /// From the root. It is put together when asked for: most nodes only lead to others, and a client may make many.
  var path: Path {
    var (keys, node): ([Key], ListenNode) = ([], self)
    keys.reserveCapacity(depth)
    while let key = node.key, let parent = node.parent {
      keys.append(key)
      node = parent
    }
    return Path(keys.reversed())
  }

  func insert(_ listen: Listen) {
    listen.slot = listens.count
    listens.append(listen)
  }

  func remove(_ listen: Listen) {
    setRecipient(listen, false)
    setClock(listen, false)
    let last = listens.removeLast()
    if last !== listen {
      listens[listen.slot] = last
      last.slot = listen.slot
    }
    listen.slot = -1
  }

  /// Whether the listen's connection is in ``recipients``.
  func setRecipient(_ listen: Listen, _ isRecipient: Bool) {
    guard isRecipient != (listen.recipientSlot >= 0) else { return }
    if isRecipient {
      listen.recipientSlot = recipients.count
      recipients.append(listen.connection.id)
      recipientListens.append(listen)
    } else {
      let (slot, id, last) = (listen.recipientSlot, recipients.removeLast(), recipientListens.removeLast())
      if last !== listen {
        recipients[slot] = id
        recipientListens[slot] = last
        last.recipientSlot = slot
      }
      listen.recipientSlot = -1
    }
  }

  /// Whether the listen is in ``clockListens``.
  func setClock(_ listen: Listen, _ usesClock: Bool) {
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
