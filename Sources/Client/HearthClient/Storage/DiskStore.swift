import CSQLite
import HearthSync
import HearthTree

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

// The tables:
//
//   cache        path blob, node blob        server data: JSON in export form. A record is a leaf or a whole small
//                                            subtree; no record lies below another one. The priority of a path with
//                                            children that have records of their own is a record at its key .priority
//   write        id, isMerge, path blob, body blob     unanswered writes: JSON with .sv
//   query        id, path blob, query blob, lastUse, isComplete, isActive
//   queryKey     id, key blob
//   total        bytes                       of all paths and nodes in cache
//   owner        token, process, start blob  the open store that owns the file

/// A ``SyncStore`` in one SQLite file of one user, readable by its owner only.
///
/// The file belongs to one open store at a time; no lock is held between two changes.
///
/// A change survives the end of the process once the call returns; it may be lost in a power failure, as with the
/// Firebase SDKs. A damaged file is renamed when it is opened, and an empty one is created.
final class DiskStore: SyncStore {
  /// The largest size in memory, in bytes, at which a subtree is stored as one record.
  static let recordBytesMax = 4_096

  let path: String
  let log: @Sendable (String) -> Void
  private let database: SQLiteConnection
  private let owner: StoreOwner
  /// True during ``transaction(_:)``.
  private var isInTransaction = false
  /// The bytes that the open transaction has added to the cache, less those that it has removed.
  var addedBytes = 0
  private var failure: DiskStoreError?

  /// Opens a store, which is created when it is missing.
  ///
  /// - Parameters:
  /// - path: The store's file. A missing folder is created with mode 0700.
  /// - sizeBytesMax: The maximum size of the file; nil for no limit.
  /// - log: Receives warnings.
  init(path: String, sizeBytesMax: Int? = nil, log: @escaping @Sendable (String) -> Void = { _ in })
    throws(DiskStoreError)
  {
    self.path = path
    self.log = log
    do {
      (database, owner) = try Self.open(path, sizeBytesMax)
    } catch  where error.code == .damaged {
      let aside = try Self.setAside(path)
      log(
        "\(error); it is now \(aside), and an empty one is begun: cached data comes again from the server, and writes that waited in it are lost"
      )
      (database, owner) = try Self.open(path, sizeBytesMax)
    }
  }

  deinit {
    try? owner.release(in: database)
    owner.close()
  }

  // MARK: Opening

  /// The size of the pages of a new file: in SQLite's pages of 4 KiB, each record of more than 1 KB would take a page.
  private static let pageSizeBytes = 16_384
  /// The time that a change waits for another process that reads or writes the file, in milliseconds.
  private static let busyTimeoutMilliseconds: Int32 = 1_000

  private static func open(
    _ path: String, _ sizeBytesMax: Int?
  ) throws(DiskStoreError) -> (SQLiteConnection, StoreOwner) {
    try createMissing(path)
    do {
      let database = try SQLiteConnection(path: path, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
      try database.execute("PRAGMA page_size = \(pageSizeBytes); PRAGMA journal_mode = WAL")
      try database.execute("PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF")
      if let sizeBytesMax {
        // An earlier version's file keeps its size of pages.
        let pageBytes = try database.first("PRAGMA page_size") { $0.integer(0) }
        let pageCount = sizeBytesMax / max(512, Int(clamping: (pageBytes ?? nil) ?? 0))
        try database.execute("PRAGMA max_page_count = \(max(1, pageCount))")
      }
      let owner = try database.transaction(isWriting: true) {
        try database.execute(schema)
        // Checks that the tables have the needed columns, and that their first rows are readable.
        for (table, columns) in columns { try database.first("SELECT \(columns) FROM \(table)") { _ in } }
        return try StoreOwner(claiming: database)
      }
      guard let owner else { throw DiskStoreError(.inUse, "\(path) is open in another process, or twice in this one") }
      return (database, owner)
    } catch let error as DiskStoreError {
      throw error
    } catch let error as SQLiteError {
      // A table with one of these names and other columns belongs to another program.
      if error.primaryCode == SQLITE_ERROR {
        throw DiskStoreError(.damaged, "\(path) has other tables than this client's")
      }
      throw DiskStoreError(error, path: path)
    } catch {
      throw DiskStoreError(.inputOutput, "\(path) cannot be opened: \(error)")
    }
  }

  private static let columns = [
    ("cache", "path, node"), ("write", "id, isMerge, path, body"),
    ("query", "id, path, query, lastUse, isComplete, isActive"), ("queryKey", "id, key"), ("total", "bytes"),
    StoreOwner.columns,
  ]

  private static let schema =
    StoreOwner.schema + """
      CREATE TABLE IF NOT EXISTS cache (path BLOB PRIMARY KEY NOT NULL, node BLOB NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS write
        (id INTEGER PRIMARY KEY, isMerge INTEGER NOT NULL, path BLOB NOT NULL, body BLOB NOT NULL);
      CREATE TABLE IF NOT EXISTS query (id INTEGER PRIMARY KEY, path BLOB NOT NULL, query BLOB NOT NULL,
        lastUse INTEGER NOT NULL, isComplete INTEGER NOT NULL, isActive INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS queryKey (id INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (id, key)) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS total (id INTEGER PRIMARY KEY CHECK (id = 0), bytes INTEGER NOT NULL);
      INSERT OR IGNORE INTO total VALUES (0, 0);
      """

  /// Creates the file, readable by its owner only; SQLite gives its log the same mode.
  private static func createMissing(_ path: String) throws(DiskStoreError) {
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex { try createFolder(String(path[..<slash])) }
    let descriptor = Self.openFile(path)
    guard descriptor >= 0 else { throw DiskStoreError(.notPermitted, "\(path) cannot be made: \(systemError)") }
    // This also covers an existing file.
    fchmod(descriptor, 0o600)
    close(descriptor)
  }

  private static func openFile(_ path: String) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    #elseif canImport(Musl)
      Musl.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    #elseif canImport(Darwin)
      Darwin.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    #endif
  }

  private static func createFolder(_ path: String) throws(DiskStoreError) {
    guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw DiskStoreError(.notPermitted, "the folder \(path) cannot be made: \(systemError)")
    }
    try createFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw DiskStoreError(.notPermitted, "the folder \(path) cannot be made: \(systemError)")
    }
  }

  private static var systemError: String { String(cString: strerror(errno)) }

  /// Moves the damaged file aside and replaces an earlier one there.
  private static func setAside(_ path: String) throws(DiskStoreError) -> String {
    let aside = path + ".damaged"
    guard rename(path, aside) == 0 else {
      throw DiskStoreError(.notPermitted, "\(path) is damaged and cannot be moved: \(systemError)")
    }
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    return aside
  }

  // MARK: Access

  /// Runs a change, in the open transaction or in one of its own.
  func change<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
    try access(isWriting: true, body)
  }

  /// Runs a read.
  func read<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
    try access(isWriting: false, body)
  }

  private func access<Value>(isWriting: Bool, _ body: (SQLiteConnection) throws -> Value) throws -> Value {
    try translating {
      if isInTransaction { return try body(database) }
      return try database.transaction(isWriting: isWriting) {
        guard try owner.isCurrent(in: database) else {
          throw DiskStoreError(.inUse, "\(path) belongs to another process now")
        }
        defer { addedBytes = 0 }
        let value = try body(database)
        if addedBytes != 0 { try database.run("UPDATE total SET bytes = MAX(0, bytes + ?)", .integer(addedBytes)) }
        return value
      }
    }
  }

  func transaction(_ body: () throws -> Void) throws {
    // A nested transaction joins the outer one, because SQLite has no nested ones.
    if isInTransaction { return try body() }
    try change { _ in
      isInTransaction = true
      defer { isInTransaction = false }
      try body()
    }
  }

  private func translating<Value>(_ body: () throws -> Value) throws -> Value {
    if let failure { throw failure }
    do {
      return try body()
    } catch let error as SQLiteError {
      // SQLite reports a full quota and a file size limit like any failed write.
      if error.code == hearth_sqlite_ioerr_write, [ENOSPC, EDQUOT, EFBIG].contains(error.systemError) {
        throw DiskStoreError(.full, "no room on the disk for \(path); nothing of this change was kept")
      }
      throw note(DiskStoreError(error, path: path))
    } catch let error as DiskStoreError {
      throw note(error)
    }
  }

  /// Records an error. A damaged store is set aside at once and not used any more.
  private func note(_ error: DiskStoreError) -> DiskStoreError {
    guard error.code == .damaged, failure == nil else { return error }
    failure = error
    if let aside = try? Self.setAside(path) {
      log("\(error); it is now \(aside), and nothing is kept until the next start")
    }
    return error
  }

  /// Returns the error of a row that this store did not write.
  func damaged(_ what: String) -> DiskStoreError { DiskStoreError(.damaged, "\(path) is damaged: \(what)") }
}
