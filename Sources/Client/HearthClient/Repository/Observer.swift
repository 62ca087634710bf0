import HearthSync

/// Somebody of the app who is told of events.
struct Observer: Sendable {
  /// What is observed.
  let spec: QuerySpec
  /// Which events.
  let types: EventTypes
  /// True when the first event is the last.
  var isOnce = false
  /// True when it is told at once, on the worker: it only puts events into a buffer. The others are told on the
  /// callback queue.
  var isInline = false
  /// Takes an event.
  let onEvent: Callback<DataEvent>
  /// Takes the end that the server made.
  let onCancel: Callback<DatabaseError>
}

/// Who observes: known on every thread, so that nobody is told anything once it was taken away.
struct Observers {
  private var all: [RegistrationID: Observer] = [:]

  var count: Int { all.count }

  subscript(_ id: RegistrationID) -> Observer? { all[id] }

  mutating func add(_ id: RegistrationID, _ observer: Observer) { all[id] = observer }

  mutating func remove(_ id: RegistrationID) -> Observer? { all.removeValue(forKey: id) }

  /// Whom a removal at a query means: everybody there, also those of other queries at the place if it is the default one.
  mutating func remove(from spec: QuerySpec, where isMeant: (RegistrationID) -> Bool) -> [RegistrationID] {
    let ids = all.filter { id, observer in
      isMeant(id) && observer.spec.path == spec.path && (spec.isDefault || observer.spec == spec)
    }.keys
    for id in ids { all[id] = nil }
    return ids.sorted()
  }
}
