import HearthAccounts
import HearthJournal
import HearthOutbox
import HearthTriggers
import Logging

/// The triggers of users: account events become trigger events, in the accounts' own journal.
struct UserTriggers: Sendable {
  let accounts: AccountStore

  /// True when the accounts' journal can store events.
  var isPossible: Bool { accounts.outboxJournal != nil }

  /// Applies the current triggers to the accounts.
  func review(_ sender: EventSender) {
    guard let outbox = sender.userOutbox() else { return accounts.setOutbox(nil) }
    accounts.setOutbox(
      AccountOutbox { events in
        outbox.entries(events.map(UserEvent.init))
      } stored: { entries in
        outbox.stored(entries)
      })
  }

  /// Sends the waiting events.
  ///
  /// - Returns: the triggers that events wait for.
  func attach(to sender: EventSender) throws(JournalError) -> [String] {
    guard let journal = accounts.outboxJournal else { return [] }
    return try sender.attachUsers(journal)
  }
}

extension AccountStore {
  /// Makes the accounts of a stopped server keep the events of its triggers until it runs.
  ///
  /// - Throws: when the triggers cannot be read.
  package func keepEvents(_ options: TriggerOptions, logger: Logger) throws(RESTFailure) {
    let definitions = try TriggerFiles(files: options.files, folder: options.folder).read().definitions
    guard definitions.contains(where: \.subject.isUsers) else { return }
    let sender = EventSender(environment: options.environment, isSending: false, logger: logger) { _ in }
    sender.set(definitions)
    let users = UserTriggers(accounts: self)
    users.review(sender)
    // Events that a full queue refuses are counted with those in it.
    do throws(JournalError) { _ = try users.attach(to: sender) } catch {
      throw RESTFailure(500, "The events of users cannot be read: \(error)")
    }
  }
}

extension UserEvent {
  /// Creates the event for the sender, which assigns its ordinal.
  fileprivate init(_ event: AccountEvent) {
    self.init(
      position: event.position, ordinal: 0, milliseconds: event.milliseconds,
      eventType: event.kind == .created ? .created : .deleted, uid: event.uid, user: event.user.functionJSON)
  }
}
