import HearthEngine
import HearthJournal
import HearthTriggers

/// A builder of outbox entries from one database's commits.
struct EventBuilder: Sendable {
  let database: String
  private let definitions: [String: TriggerDefinition]
  private let set: TriggerSet

  init(database: String, _ definitions: [TriggerDefinition]) {
    self.database = database
    self.definitions = Dictionary(definitions.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
    set = TriggerSet(definitions.compactMap(\.member))
  }

  func entries(of changes: [CommittedChange]) -> (entries: [OutboxEntry], excess: TriggerSet.Excess?) {
    var (entries, excess): ([OutboxEntry], TriggerSet.Excess?) = ([], nil)
    for change in changes {
      let made = set.events(of: WrittenChange(change))
      excess = excess ?? made.excess
      for (trigger, event) in made.events {
        let carries = definitions[trigger]?.form.carriesValues == true
        let isTooLarge = event.payload == .reference && !carries
        entries.append(
          OutboxEntry(
            queue: trigger, place: OutboxPlace(position: event.position, ordinal: event.ordinal), lane: event.ref,
            milliseconds: event.milliseconds, content: event.content,
            deadReason: isTooLarge ? "the event has more than \(TriggerLimits.payloadBytesMax) bytes" : nil))
      }
    }
    return (entries, excess)
  }

  func refusal(of change: CommittedChange) -> Failure? {
    set.excess(of: WrittenChange(change)).map { Failure(.writeTooBig, $0.message) }
  }
}

extension WrittenChange {
  fileprivate init(_ change: CommittedChange) {
    let principal = change.principal
    self.init(
      position: change.position, milliseconds: change.wallMilliseconds, paths: change.paths, oldRoot: change.oldRoot,
      newRoot: change.newRoot,
      author: EventAuthor(
        auth: principal.auth, isAdministrator: principal.isAdministrator || principal.isOverridden))
  }
}
