import HearthDatabase
import HearthEngine
import HearthRules
import HearthTree
import HearthTrial

/// Staging of rules: they are the ruleset with the label `canary`, so that Firebase's tools stage them as well.
extension RulesStore {
  /// Stages rules in place of those staged before, and starts their trial, with a forecast for listeners and stored
  /// data.
  func stage(_ rules: RuleSet, of database: Database, _ change: RulesChange) async throws(RESTFailure) -> Ruleset {
    let milliseconds = clock().wallMilliseconds
    let ruleset = Ruleset(
      id: pushIDs.next(milliseconds: milliseconds), createdAtMilliseconds: milliseconds, source: rules.source,
      note: change.json)
    try await changeQueue.run(database.name) { () async throws(RESTFailure) in
      try await self.change(database) { $0.stage(ruleset) }
      self.begin(rules, of: database, by: change.author)
    }
    return ruleset
  }

  /// Removes the staged rules and ends their trial.
  ///
  /// - Returns: the report of the trial; nil when none was under way.
  /// - Throws: a refusal when no rules are staged.
  func unstage(_ database: Database, by author: RulesAuthor) async throws(RESTFailure) -> TrialReport? {
    try await changeQueue.run(database.name) { () async throws(RESTFailure) in
      try await self.change(database) { settings throws(RESTFailure) in
        guard settings.canaryRuleset != nil else { throw .nothingStaged }
        settings.label(stable: settings.stableRuleset, canary: nil)
      }
      self.logger.info(
        "staged rules dropped", metadata: ["database": "\(database.name)", "author": "\(author.kind.rawValue)"])
      return database.endTrial()
    }
  }

  /// Puts the ruleset of one label in force and stages that of the other one.
  func label(
    stable: String, canary: String?, of database: Database, as principal: Principal, _ change: RulesChange
  ) async throws(RESTFailure) {
    let name = database.name
    try await changeQueue.run(name) { () async throws(RESTFailure) in
      let (rules, staged) = try await self.pool.work { () throws(RESTFailure) in
        let settings = try self.settings.settings(of: name)
        guard let ruleset = settings.ruleset(stable), canary == nil || canary.flatMap(settings.ruleset) != nil else {
          throw RESTFailure(400, "No ruleset has this id.")
        }
        let staged = try canary.flatMap(settings.ruleset).map { kept throws(RESTFailure) in
          try RuleSet.uploaded(kept.source)
        }
        return (try RuleSet.uploaded(ruleset.source), staged)
      }
      let current = try await self.current(database)
      _ = try await self.put(rules, in: database, principal, change, over: current)
      try await self.change(database) { settings in
        settings.label(stable: stable, canary: canary)
      }
      if let staged { self.begin(staged, of: database, by: change.author) } else { database.endTrial() }
    }
  }

  /// Returns the staged rules, with the report of their trial.
  func trialStatus(of database: Database) async throws(RESTFailure) -> JSON {
    let name = database.name
    let staged = try await pool.work { () throws(RESTFailure) in try self.settings.settings(of: name).staged }
    return [
      "staged": staged?.shown ?? .null, "trial": database.trial?.report().json ?? .null,
      "watch": watchStatus(of: database) ?? .null,
    ]
  }

  /// Returns the counts of the watch of promoted rules; nil when none are watched.
  func watchStatus(of database: Database) -> JSON? { watches.watch(of: database.name)?.json(at: clock()) }

  /// Resumes the work that was under way when the server stopped: a trial, which starts again, and a watch.
  package func resume(_ database: Database) {
    let name = database.name
    Task {
      _ = try? await changeQueue.run(name) { () async throws(RESTFailure) in
        let (staged, newest) = try await self.pool.work { () throws(RESTFailure) in
          (try self.settings.settings(of: name).staged, try self.files.versions(of: name).last)
        }
        if let staged {
          let rules = await self.pool.compiled(staged.source)
          if let rules {
            self.begin(rules, of: database, by: .server)
          } else {
            self.logger.error("the staged rules do not compile", metadata: ["database": "\(name)"])
          }
        }
        if let newest, newest.hasSource(database.published.rules.source) {
          self.begin(self.watch(newest, of: database), of: database)
        }
      }
    }
  }

  // MARK: Within the change queue

  private func begin(_ rules: RuleSet, of database: Database, by author: RulesAuthor) {
    database.beginTrial(of: rules).startForecast()
    logger.info("rules staged", metadata: ["database": "\(database.name)", "author": "\(author.kind.rawValue)"])
  }

  func change(
    _ database: Database, _ body: @escaping @Sendable (inout DatabaseSettings) throws(RESTFailure) -> Void
  ) async throws(RESTFailure) {
    let name = database.name
    try await pool.work { () throws(RESTFailure) in try self.settings.change(name, body) }
  }
}

extension LargeValuePool {
  /// Compiles rules; nil for a text with mistakes.
  fileprivate func compiled(_ source: String) async -> RuleSet? {
    try? await work { () throws(RESTFailure) in try RuleSet.uploaded(source) }
  }
}

extension Ruleset {
  /// The staged rules as JSON for administrators, without the text.
  var shown: JSON {
    let note = note?.members?.filter { $0.name != "cause" } ?? []
    let head: JSON = ["ruleset": .string(id), "time": .string(Timestamp.text(milliseconds: createdAtMilliseconds))]
    return head.appending(.object(note)).appending(RulesVersion.size(of: source))
  }
}

extension RESTFailure {
  static let nothingStaged = RESTFailure(404, "No rules are staged.")
}
