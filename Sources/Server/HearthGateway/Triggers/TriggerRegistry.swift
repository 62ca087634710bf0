import HearthDatabase
import HearthEngine
import HearthJournal
import HearthOutbox
import HearthTree
import HearthTriggers
import Logging
import Synchronization

/// The registry of a server's triggers, which configures databases and the event sender.
///
/// Blocks for files: not for event loops.
package final class TriggerRegistry: Sendable {
  private let files: TriggerFiles
  private let settings: SettingsStore
  private let databases: any DatabaseSource
  private let users: UserTriggers
  private let options: TriggerOptions
  private let logger: Logger
  private let stored = Mutex(TriggerFiles.Stored())
  /// A lock that serializes changes; they are on the disk before they take effect.
  private let changeLock = Mutex(())
  /// The reason why the triggers cannot be changed; nil when they can.
  private let problem = Mutex<RESTFailure?>(nil)
  private let router = NoticeRouter()
  /// The sender of events, with the status of each trigger.
  package let sender: EventSender

  init(
    _ options: TriggerOptions, settings: SettingsStore, databases: any DatabaseSource, users: UserTriggers,
    logger: Logger
  ) {
    self.users = users
    files = TriggerFiles(files: options.files, folder: options.folder)
    (self.options, self.settings, self.databases, self.logger) = (options, settings, databases, logger)
    sender = EventSender(environment: options.environment, isSending: options.isSending, logger: logger) {
      [router] notice in router.take(notice)
    }
    router.registry.withLock { $0 = WeakRegistry(registry: self) }
    load()
  }

  /// Loads the triggers. An unreadable file is left as it is, and no events are sent.
  private func load() {
    do throws(RESTFailure) {
      var found = try files.read()
      guard !found.definitions.isEmpty else { return }
      if !files.isOriginalFolder {
        var paused = found
        for index in paused.definitions.indices where paused.definitions[index].pause == nil {
          paused.definitions[index].pause =
            "the data folder is a copy: resume the trigger here once the original server has stopped sending"
        }
        if let written = try files.write(paused, over: found) { found = written }
        logger.error("the data folder is a copy: its triggers stay paused until you resume them")
      }
      use(found)
    } catch {
      problem.withLock { $0 = error }
      logger.critical("triggers cannot be read, so no events are created", metadata: ["error": "\(error.text)"])
    }
  }

  /// Puts stored triggers in force.
  private func use(_ found: TriggerFiles.Stored) {
    let before = stored.withLock { stored in
      defer { stored = found }
      return stored
    }
    sender.set(found.definitions)
    if before.replayCount != found.replayCount { sender.rereadQueues() }
    for database in databases.openDatabases { review(database) }
    users.review(sender)
  }

  /// Reloads the triggers, because another node of a cluster has changed them.
  package func reload() {
    let result: Result<Void, RESTFailure> = changeLock.withLock { _ in
      Result { () throws(RESTFailure) in use(try files.read()) }
    }
    if case .failure(let failure) = result {
      logger.critical(
        "triggers cannot be read; the previous ones stay in force", metadata: ["error": "\(failure.text)"])
    }
  }

  // MARK: Databases

  /// The databases in which events may wait.
  package var neededNames: [String] {
    let definitions = all
    return databases.names.filter { name in definitions.contains { $0.appliesTo(database: name) } }
  }

  /// Returns the outbox for a database's commits; nil when no trigger is about the database.
  package func outbox(of database: String) -> DatabaseOutbox? {
    let isStrict = (try? settings.settings(of: database).isTriggerValidationStrict) ?? true
    return sender.outbox(of: database, isStrict: isStrict)
  }

  /// Sends the waiting events of an opened database.
  package func attach(_ database: Database) {
    attach(database.name) { () throws(JournalError) in try sender.attach(database) }
  }

  /// Drops the waiting events of a deleted database.
  func detach(_ database: String) { sender.detach(database) }

  /// Sets whether this node sends the events of users; in a cluster the owner of the accounts does.
  package func setSendsUserEvents(_ isSending: Bool) { sender.setSending(isSending, of: UserEvent.source) }

  /// Sends the waiting events of users.
  package func attachUsers() {
    attach(UserEvent.source) { () throws(JournalError) in try users.attach(to: sender) }
  }

  private func attach(_ source: String, _ body: () throws(JournalError) -> [String]) {
    do throws(JournalError) {
      // The trigger was removed just before the server ended.
      for name in try body() where definition(name) == nil { try sender.deadLetters.giveUp(name, reason: Self.removed) }
    } catch {
      logger.error("events cannot be read", metadata: ["database": "\(source)", "error": "\(error)"])
    }
  }

  /// Applies the current triggers and settings to a database.
  package func review(_ database: Database) { database.setOutbox(outbox(of: database.name)) }

  // MARK: Reading

  var all: [TriggerDefinition] { stored.withLock { $0.definitions } }

  func definition(_ name: String) -> TriggerDefinition? { all.first { $0.name == name } }

  /// Returns a trigger as JSON for administrators, with its status.
  func shown(_ definition: TriggerDefinition) throws(RESTFailure) -> JSON {
    let status = try reading { () throws(JournalError) in try sender.status.json(of: definition.name) }
    return definition.shown.appending(["status": status])
  }

  // MARK: Changing

  /// The maximum number of attempts of a change while other nodes of a cluster make changes.
  private static let triesMax = 16

  private static let removed = "the trigger was removed"

  /// Registers a trigger; one with the same name keeps its events.
  func add(_ definition: TriggerDefinition) throws(RESTFailure) {
    try change { all throws(RESTFailure) in
      guard let index = all.firstIndex(where: { $0.name == definition.name }) else {
        guard all.count < TriggerLimits.triggersMax else {
          throw RESTFailure(400, "There can be at most \(TriggerLimits.triggersMax) triggers. Remove one first.")
        }
        all.append(definition)
        return
      }
      guard definition.continues(all[index]) else {
        throw RESTFailure(
          409, "\(definition.name) has events of another form. Remove it first, or choose another name.")
      }
      all[index] = definition
    }
    logger.info("trigger registered", metadata: ["trigger": "\(definition.name)"])
  }

  /// Pauses or resumes the sending for a trigger.
  ///
  /// - Parameter reason: the reason for the pause; nil resumes.
  func pause(_ name: String, _ reason: String?) throws(RESTFailure) {
    try change { all throws(RESTFailure) in
      guard let index = all.firstIndex(where: { $0.name == name }) else { throw .noTrigger }
      all[index].pause = reason
    }
    logger.info("trigger \(reason == nil ? "resumed" : "paused")", metadata: ["trigger": "\(name)"])
  }

  /// Removes a trigger; its waiting events become dead letters.
  func remove(_ name: String) throws(RESTFailure) {
    try change { all throws(RESTFailure) in
      guard let index = all.firstIndex(where: { $0.name == name }) else { throw .noTrigger }
      all.remove(at: index)
    }
    try reading { () throws(JournalError) in try sender.deadLetters.giveUp(name, reason: Self.removed) }
    logger.info("trigger removed", metadata: ["trigger": "\(name)"])
  }

  private func change(
    _ body: (inout [TriggerDefinition]) throws(RESTFailure) -> Void
  ) throws(RESTFailure) {
    try changeAll { stored throws(RESTFailure) in try body(&stored.definitions) }
  }

  private func changeAll(_ body: (inout TriggerFiles.Stored) throws(RESTFailure) -> Void) throws(RESTFailure) {
    if let problem = problem.withLock({ $0 }) { throw problem }
    guard users.isPossible, databases.openDatabases.allSatisfy({ $0.outboxJournal != nil }) else {
      throw RESTFailure(501, "The journals of this server do not keep events, so it cannot have triggers.")
    }
    // One change at a time; no call in it enters here again.
    let result: Result<Void, RESTFailure> = changeLock.withLock { _ in
      Result { () throws(RESTFailure) in
        var before = stored.withLock { $0 }
        for _ in 0..<Self.triesMax {
          var changed = before
          try body(&changed)
          if let written = try files.write(changed, over: before) { return use(written) }
          // Another node was faster: its change stays.
          before = try files.read()
        }
        throw RESTFailure(503, "Other processes keep changing the triggers. Try again.")
      }
    }
    try result.get()
  }

  /// Registers a functions emulator's trigger. Ignored when no such emulator is configured.
  func register(_ json: JSON, in database: String) throws(RESTFailure) {
    guard let host = options.functionsEmulator else { return }
    let definition: TriggerDefinition?
    do throws(TriggerProblem) {
      definition = try TriggerDefinition(emulator: json, database: database, host: host, project: options.projectID)
    } catch {
      logger.warning("a function's trigger is not supported", metadata: ["problem": "\(error)"])
      return
    }
    if let definition { try add(definition) }
  }

  // MARK: Dead letters

  func deadLetters(of name: String) throws(RESTFailure) -> [JSON] {
    try reading { () throws(JournalError) in try sender.deadLetters.list(of: name) }
  }

  func replay(_ name: String, letter: String?) throws(RESTFailure) -> Int {
    guard definition(name) != nil else { throw .noTrigger }
    let count = try reading { () throws(JournalError) in try sender.deadLetters.replay(name, letter: letter) }
    guard let count else { throw RESTFailure(400, "The name is not one of a dead letter.") }
    // Other nodes may be the senders of these events.
    if count > 0, files.isShared { try changeAll { $0.replayCount &+= 1 } }
    return count
  }

  func removeDeadLetters(of name: String) throws(RESTFailure) -> Int {
    try reading { () throws(JournalError) in try sender.deadLetters.remove(of: name, isAll: true) }
  }

  /// Removes dead letters that are too old or too many.
  package func removeOldDeadLetters() {
    for definition in all {
      do throws(JournalError) {
        _ = try sender.deadLetters.remove(of: definition.name, isAll: false)
      } catch {
        logger.error("dead letters cannot be removed", metadata: ["error": "\(error)"])
      }
    }
  }

  private func reading<Value>(_ body: () throws(JournalError) -> Value) throws(RESTFailure) -> Value {
    do throws(JournalError) { return try body() } catch {
      logger.error("the outbox cannot be used", metadata: ["error": "\(error)"])
      throw RESTFailure(500, "The events of this trigger cannot be read or changed.")
    }
  }

  /// Applies a receiver's response that changes the registration.
  fileprivate func take(_ notice: TriggerNotice) {
    do throws(RESTFailure) {
      switch notice {
      case .gone(let name):
        guard definition(name)?.pause == nil else { return }
        try pause(name, "the receiver returned 410 Gone")
        logger.error("the receiver returned 410 Gone, so the trigger is paused", metadata: ["trigger": "\(name)"])
      case .unknownFunction(let name):
        if definition(name) != nil { try remove(name) }
      }
    } catch {
      logger.error("a trigger cannot be changed", metadata: ["error": "\(error.text)"])
    }
  }
}

extension RESTFailure {
  static let noTrigger = RESTFailure(404, "Unknown trigger.")
}

private struct WeakRegistry: Sendable {
  weak let registry: TriggerRegistry?
}

/// A router of the sender's notices to the registry, on a thread that may block.
private final class NoticeRouter: Sendable {
  let registry = Mutex<WeakRegistry?>(nil)

  func take(_ notice: TriggerNotice) {
    Task.detached { [self] in registry.withLock { $0?.registry }?.take(notice) }
  }
}
