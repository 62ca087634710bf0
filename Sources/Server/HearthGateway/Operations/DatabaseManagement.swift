import HearthAccounts
import HearthDatabase
import HearthRules
import HearthTree
import HearthWire

/// `/.settings/databases…`: the databases of the server and their quotas, for administrators.
///
/// * `databases.json`: `GET` lists them; `POST` of `{"name":NAME,"rules":TEXT,"quotas":{…}}` makes one.
/// * `databases/<name>.json`: `GET` shows one; `PATCH` of `{"quotas":{"connections":100,"storedBytes":null}}` changes
///   its quotas, at once, and of `{"compact":true}` begins to clean its page files; `DELETE` removes the database: its
///   data, history, rules and settings.
///
/// Each change is in the audit trail.
struct DatabaseManagement {
  let call: RESTCall
  let name: String?

  private var services: GatewayServices { call.services }

  func answer() throws(RESTFailure) {
    switch (call.request.method, name) {
    case (.get, nil), (.head, nil): list()
    case (.post, nil): try create(try call.members())
    case (.get, let name?), (.head, let name?): try show(try known(name))
    case (.patch, let name?): try change(try known(name), try call.members())
    case (.delete, let name?): try delete(try known(name))
    default: throw .methodNotAllowed
    }
  }

  private func known(_ name: String) throws(RESTFailure) -> String {
    guard Namespace.isValid(name), services.databases.exists(name) else { throw .unknownDatabase }
    return name
  }

  // MARK: Reading

  private func list() {
    let (services, isPretty) = (services, call.request.isPretty)
    call.answerLater { () async throws(RESTFailure) in
      let names = services.databases.names
      let shown = try await services.pool.work { () throws(RESTFailure) in
        var shown: [JSON] = []
        for name in names { shown.append(try Self.shown(name, services)) }
        return shown
      }
      return RESTResponse(["databases": .array(shown)], pretty: isPretty)
    }
  }

  private func show(_ name: String) throws(RESTFailure) {
    let (services, isPretty) = (services, call.request.isPretty)
    call.answerLater { () async throws(RESTFailure) in
      let shown = try await services.pool.work { () throws(RESTFailure) in
        var shown = try Self.shown(name, services)
        if let open = services.databases.opened(name) { shown["size"] = Self.size(of: open) }
        return shown
      }
      return RESTResponse(shown, pretty: isPretty)
    }
  }

  /// Returns a database's description. Reads files: not on an event loop.
  private static func shown(_ name: String, _ services: GatewayServices) throws(RESTFailure) -> JSON {
    let open = services.databases.opened(name)
    return [
      "name": .string(name), "isDefault": .bool(name == services.databases.defaultNamespace),
      "isOpen": .bool(open != nil), "connections": .int(Int64(services.quotas.connectionCount(of: name))),
      "quotas": try services.settings.settings(of: name).quotas.json,
    ]
  }

  /// Returns the size of an open database. Waits for a batch that is being decided.
  private static func size(of database: Database) -> JSON {
    let (root, figures) = (database.published.root, database.figures())
    return [
      "values": .int(Int64(root.leafCount)), "bytes": .int(Int64(root.heldBytes())),
      "logBytes": .int(Int64(figures.journalBytes)), "snapshotBytes": .int(Int64(figures.snapshotBytes)),
      "pages": figures.pages?.json ?? .null,
    ]
  }

  // MARK: Changing

  /// Makes a database. The rules are checked first, and mistakes make no database. A crash on the way may leave the
  /// database with the initial rules of a new one.
  private func create(_ body: JSON) throws(RESTFailure) {
    guard let name = body["name"]?.string, Namespace.isValid(name) else {
      throw RESTFailure(400, "name must have \(Namespace.form).")
    }
    for member in body.members ?? [] where !["name", "rules", "quotas"].contains(member.name) {
      throw RESTFailure(400, "Unknown member \(member.name.prefix(32)).")
    }
    var rules: RuleSet?
    if let text = body["rules"], text != .null {
      guard let source = text.string else { throw RESTFailure(400, "rules must be a string with a rules file") }
      rules = try RuleSet.uploaded(source)
    }
    var quotas = DatabaseQuotas.none
    if let wished = body["quotas"] { try quotas.change(wished) }
    let (call, services, isPretty) = (call, services, call.request.isPretty)
    let (principal, change) = (call.caller.principal, call.rulesChange)
    let record = record("database \(name) created")
    call.withDatabase(.new, named: name) { database in
      call.answerLater { [rules, quotas] () async throws(RESTFailure) in
        try await Self.set(name, services) { settings in
          // Drops settings that another database of the name has left.
          settings = DatabaseSettings()
          settings.quotas = quotas
        }
        if let rules { try await services.rules.deploy(rules, to: database, as: principal, change) }
        await services.accounts.own.context.audit.record(record)
        return RESTResponse(
          try await services.pool.work { () throws(RESTFailure) in try Self.shown(name, services) }, pretty: isPretty)
      }
    }
  }

  /// Begins to clean the page files of an open database.
  private func compact(_ name: String) throws(RESTFailure) {
    let (services, isPretty) = (services, call.request.isPretty)
    guard let open = services.databases.opened(name) else {
      throw RESTFailure(409, "The database is not open. Send any request to it first.")
    }
    guard open.compact() else {
      throw RESTFailure(409, "The database has no page files: all of its data is in memory.")
    }
    let record = record("page files of \(name) cleaned on order")
    call.answerLater { () async throws(RESTFailure) in
      await services.accounts.own.context.audit.record(record)
      return RESTResponse(["name": .string(name), "isCleaning": true], pretty: isPretty)
    }
  }

  private func change(_ name: String, _ body: JSON) throws(RESTFailure) {
    if body["compact"]?.bool == true, body.members?.count == 1 { return try compact(name) }
    guard let quotas = body["quotas"], body.members?.count == 1 else {
      throw RESTFailure(400, "The body must be a JSON object with the member quotas, or {\"compact\":true}.")
    }
    // The quotas are validated here; the change itself is made later, in its turn.
    var tried = DatabaseQuotas.none
    try tried.change(quotas)
    let (services, isPretty) = (services, call.request.isPretty)
    let record = record("quotas of \(name): \(String(decoding: quotas.text(), as: UTF8.self))")
    call.answerLater { () async throws(RESTFailure) in
      try await Self.set(name, services) { settings throws(RESTFailure) in try settings.quotas.change(quotas) }
      await services.accounts.own.context.audit.record(record)
      return RESTResponse(
        try await services.pool.work { () throws(RESTFailure) in try Self.shown(name, services) }, pretty: isPretty)
    }
  }

  /// Changes quotas; they are stored before they are in force.
  private static func set(
    _ name: String, _ services: GatewayServices,
    _ body: @escaping @Sendable (inout DatabaseSettings) throws(RESTFailure) -> Void
  ) async throws(RESTFailure) {
    try await services.rules.runBetweenChanges(of: name) { () async throws(RESTFailure) in
      try await services.pool.work { () throws(RESTFailure) in
        guard services.databases.exists(name) else { throw .unknownDatabase }
        let quotas = try services.settings.change(name) { settings throws(RESTFailure) in
          try body(&settings)
          return settings.quotas
        }
        services.quotas.set(quotas, of: name)
        services.reviewStorage(of: name)
      }
    }
  }

  private func delete(_ name: String) throws(RESTFailure) {
    let services = services
    let record = record("database \(name) deleted")
    call.answerLater { () async throws(RESTFailure) in
      try await services.rules.runBetweenChanges(of: name) { () async throws(RESTFailure) in
        do throws(DatabaseRemovalProblem) {
          try await services.databases.remove(name) {
            services.settings.remove(name)
            services.rules.remove(name)
            services.forget(name)
          }
        } catch {
          throw RESTFailure(error)
        }
      }
      services.router.endClients(of: name)
      await services.accounts.own.context.audit.record(record)
      return RESTResponse(["deleted": .string(name)])
    }
  }

  /// Returns a record for the audit trail.
  private func record(_ what: String) -> AuditEvent {
    let author = RulesAuthor(call.caller.credential)
    let name = author.name.map { " \($0)" } ?? ""
    return AuditEvent(
      .configurationChanged,
      client: ClientInfo(address: call.origin.address, userAgent: "", requestID: call.origin.requestID),
      detail: "\(what), by \(author.kind.rawValue)\(name)")
  }
}

extension RESTFailure {
  fileprivate init(_ problem: DatabaseRemovalProblem) {
    switch problem {
    case .unknown: self = .unknownDatabase
    case .isDefault:
      self.init(400, "The default database cannot be deleted, because every start creates it. Delete its data instead.")
    case .isBusy: self.init(409, "The database is being opened or deleted. Try again.")
    case .failed(let reason): self.init(500, "The database was not deleted: \(reason)")
    case .isUnfinished(let reason):
      self.init(500, "The database is closed and will be deleted at the server's next start: \(reason)")
    }
  }
}
