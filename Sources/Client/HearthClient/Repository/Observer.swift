import HearthSync

/// A listener of the app for events.
struct Observer: Sendable {
  /// The observed query.
  let spec: QuerySpec
  /// The event types that it receives.
  let types: EventTypes
  /// True when the observer ends with its first event.
  var isOnce = false
  /// True when events are delivered on the repository's queue, because they are only put into a buffer. Other observers
  /// are called on the callback queue.
  var isInline = false
  /// The receiver of events.
  let onEvent: Callback<DataEvent>
  /// The receiver of a cancellation by the server.
  let onCancel: Callback<DatabaseError>
}

/// The observers, readable on every thread, so that a removed one is not called any more.
struct Observers {
  private var all: [RegistrationID: Observer] = [:]

  var count: Int { all.count }

  subscript(_ id: RegistrationID) -> Observer? { all[id] }

  mutating func add(_ id: RegistrationID, _ observer: Observer) { all[id] = observer }

  mutating func remove(_ id: RegistrationID) -> Observer? { all.removeValue(forKey: id) }

  /// Removes the observers of a query and returns their identifiers; for a query without parameters, those of all
  /// queries at the path.
  mutating func remove(from spec: QuerySpec, where predicate: (RegistrationID) -> Bool) -> [RegistrationID] {
    let ids = all.filter { id, observer in
      predicate(id) && observer.spec.path == spec.path && (spec.isDefault || observer.spec == spec)
    }.keys
    for id in ids { all[id] = nil }
    return ids.sorted()
  }
}
