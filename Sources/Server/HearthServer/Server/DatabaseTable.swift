import HearthDatabase
import HearthGateway
import HearthWire
import NIOCore

/// The state of a server's databases by name: open, being opened, or being removed. Locked for moments only.
struct DatabaseTable {
  /// The maximum number of open databases. Each holds its whole tree in memory and some file descriptors.
  static let openMax = 1_000

  private enum Entry {
    case opening([EventLoopPromise<Database>])
    case open(Database, DatabaseUse)
    /// The database is being removed: it is no longer available, and no new one of its name may be made yet.
    case removing
  }

  /// The result of a request for a database.
  enum Step {
    case done(Result<Database, DatabaseProblem>)
    /// The request waits for an opening that has begun.
    case wait
    /// The database is to be opened, and made when it does not exist and `isMade` is true.
    case start(isMade: Bool)
  }

  /// The requests that wait for a database, and true when the server is stopping.
  typealias Waiting = (promises: [EventLoopPromise<Database>], isOver: Bool)

  private var entries: [String: Entry] = [:]
  /// The names that have a journal, open or not.
  private(set) var existing: Set<String>
  /// The open databases that are not served at the moment.
  private var unserved: Set<String> = []
  private var isClosed = false

  init(existing: Set<String>) { self.existing = existing }

  var openDatabases: [Database] {
    entries.values.compactMap { if case .open(let database, _) = $0 { database } else { nil } }
  }

  /// Returns the database if it is open and served, and notes its use.
  func opened(_ name: String) -> Database? {
    guard case .open(let database, let use) = entries[name], !unserved.contains(name) else { return nil }
    use.note()
    return database
  }

  func isKnown(_ name: String) -> Bool { entries[name] != nil || existing.contains(name) }

  /// Returns true when the database exists. It need not be open.
  func exists(_ name: String) -> Bool {
    switch entries[name] {
    case .open, .opening: true
    case .removing: false
    case nil: existing.contains(name)
    }
  }

  /// Records whether an open database is served.
  mutating func setServing(_ isServing: Bool, _ name: String) {
    if isServing { unserved.remove(name) } else { unserved.insert(name) }
  }

  /// Sets the names of the existing databases; open ones are kept.
  mutating func note(_ names: some Sequence<String>) {
    let found = names.filter { name in
      // A name that is being removed here was listed before the removal finished.
      if case .removing = entries[name] { false } else { Namespace.isValid(name) }
    }
    existing = Set(found).union(existing.filter { entries[$0] != nil })
  }

  // MARK: Opening

  /// Requests a database.
  ///
  /// - Parameters:
  ///   - promise: waits for it, unless the step says that it is done.
  ///   - isMadeOnUse: true when it is made at its first use.
  mutating func request(
    _ name: String, _ creation: DatabaseCreation, _ promise: EventLoopPromise<Database>, isMadeOnUse: Bool
  ) -> Step {
    if isClosed { return .done(.failure(.unavailable("the server is stopping"))) }
    switch entries[name] {
    case .removing: return .done(.failure(.unavailable("it is being deleted")))
    case .open where creation == .new, .opening where creation == .new: return .done(.failure(.exists))
    case .open where unserved.contains(name):
      return .done(.failure(.unavailable("the nodes of the cluster cannot reach each other")))
    case .open(let database, let use):
      use.note()
      return .done(.success(database))
    case .opening(let promises):
      entries[name] = .opening(promises + [promise])
      return .wait
    case nil:
      let exists = existing.contains(name)
      if creation == .new, exists { return .done(.failure(.exists)) }
      guard Namespace.isValid(name) else { return .done(.failure(.unknown)) }
      let mayCreate = isMadeOnUse || creation == .allowed || creation == .new
      guard mayCreate || exists else { return .done(.failure(.unknown)) }
      if creation == .never, !exists { return .done(.failure(.notCreated)) }
      guard entries.count < Self.openMax else { return .done(.failure(.tooMany)) }
      entries[name] = .opening([promise])
      return .start(isMade: mayCreate)
    }
  }

  /// Ends an opening.
  ///
  /// - Parameter opened: the database; nil when it could not be opened.
  mutating func endOpening(_ name: String, _ opened: Database?) -> Waiting {
    guard case .opening(let promises) = entries.removeValue(forKey: name) else { return ([], true) }
    if let opened {
      existing.insert(name)
      if !isClosed { entries[name] = .open(opened, DatabaseUse()) }
    }
    return (promises, isClosed)
  }

  /// Records that a database does not exist any more.
  mutating func forget(_ name: String) { existing.remove(name) }

  // MARK: Closing

  /// Returns the open databases that were not used for a time, except one.
  func unused(forMilliseconds milliseconds: Int64, at now: Int64, except kept: String) -> [(String, Database)] {
    guard !isClosed else { return [] }
    return entries.compactMap { name, entry in
      guard case .open(let database, let use) = entry, name != kept else { return nil }
      return use.isUnused(forMilliseconds: milliseconds, at: now) ? (name, database) : nil
    }
  }

  /// Begins to close an idle database: requests wait from now on.
  ///
  /// - Returns: false when it was used at the last moment.
  mutating func beginClosing(_ name: String) -> Bool {
    guard !isClosed, case .open(_, let use) = entries[name], !use.hasBeenUsed else { return false }
    entries[name] = .opening([])
    return true
  }

  /// Ends the closing of an idle database. When requests wait, it remains as being opened.
  ///
  /// - Parameter isDone: false when it stays open.
  mutating func endClosing(_ name: String, _ database: Database, isDone: Bool) -> Waiting {
    guard case .opening(let promises) = entries[name] else { return ([], true) }
    if !isDone {
      entries[name] = .open(database, DatabaseUse())
    } else if promises.isEmpty || isClosed {
      entries[name] = nil
      unserved.remove(name)
    }
    return (promises, isClosed)
  }

  /// Begins to drop an open database that another server has removed: requests wait from now on.
  mutating func beginDropping(_ name: String) -> Database? {
    guard !isClosed, case .open(let database, _) = entries[name] else { return nil }
    entries[name] = .opening([])
    return database
  }

  /// Ends the dropping of a database. When requests wait and a new one may be opened, it remains as being opened.
  mutating func endDropping(_ name: String, existsAgain: Bool, mayBeOpened: Bool) -> Waiting {
    unserved.remove(name)
    if !existsAgain { existing.remove(name) }
    guard case .opening(let promises) = entries[name] else { return ([], true) }
    if promises.isEmpty || !mayBeOpened || isClosed { entries[name] = nil }
    return (promises, isClosed)
  }

  /// Ends all requests, and returns the open databases.
  mutating func close() -> [Database] {
    isClosed = true
    let open = openDatabases
    entries = entries.filter { if case .opening = $0.value { true } else { false } }
    return open
  }

  // MARK: Removing

  /// Makes a database unavailable, unless it is the one that stays.
  ///
  /// - Returns: the database when it is open.
  mutating func beginRemoval(_ name: String, except kept: String) -> Result<Database?, DatabaseRemovalProblem> {
    guard !isClosed else { return .failure(.failed("the server is stopping")) }
    guard name != kept else { return .failure(.isDefault) }
    var open: Database?
    switch entries[name] {
    case .opening, .removing: return .failure(.isBusy)
    case .open(let database, _): open = database
    case nil: guard existing.contains(name) else { return .failure(.unknown) }
    }
    entries[name] = .removing
    existing.remove(name)
    return .success(open)
  }

  /// Makes a database available again, whose removal could not begin.
  mutating func cancelRemoval(_ name: String, _ open: Database?) {
    entries[name] = open.map { .open($0, DatabaseUse()) }
    existing.insert(name)
  }

  /// Frees the name of a removed database.
  mutating func endRemoval(_ name: String) { entries[name] = nil }
}
