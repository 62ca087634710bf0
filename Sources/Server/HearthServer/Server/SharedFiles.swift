import Dispatch
import Glibc
import HearthCrypto
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthSystem
import HearthTree
import Logging
import Synchronization

/// The small files that a cluster's nodes share, in a log of their own: each is a text in a tree that all nodes follow.
/// The node that gets a change writes it, unless another node has changed the file since it was read.
///
/// Every node also keeps them in its data folder, so that backups of one contain them, and a server by itself can
/// continue with them. A new log begins with the folder of the node that makes it.
final class SharedFiles: SmallFileStore {
  /// The name of the journal.
  static let journalName = "settings"
  /// The folders of a data folder that are shared.
  static let folders = [DataDirectory.settingsName, DataDirectory.versionsName, DataDirectory.triggersName]
  /// The path of the sealed keys of all nodes. Each node has the keys in its own folder.
  static let keysPath = "sealed/keys"
  /// The maximum size of a file: that of a text in the tree.
  private static let fileBytesMax = 10 << 20
  /// The seconds that a write waits for an owner, and for the cluster's store.
  private static let timeoutSeconds = 30
  private static let connection = ConnectionID(rawValue: 1)

  private let answers: ReplyWaiters
  private let local: LocalFileStore
  private let logger: Logger
  private let database: Database
  /// The queue that writes the local copies and calls the observer, one change after the other.
  private let queue = DispatchQueue(label: "hearth.cluster.files")
  private let changed = Mutex<(@Sendable (_ path: String) -> Void)?>(nil)

  /// Opens the files, and blocks until they are known.
  ///
  /// - Parameters:
  ///   - folder: the data folder.
  ///   - notice: called with notices about the log for the operator.
  ///   - open: opens the database in its environment.
  init(
    folder: String, clock: @escaping @Sendable () -> Instant, logger: Logger,
    notice: @escaping @Sendable (DatabaseNotice) -> Void, open: (DatabaseEnvironment) throws -> Database
  ) throws {
    let (answers, changes) = (ReplyWaiters(), ChangeQueue())
    (self.answers, self.logger) = (answers, logger)
    local = LocalFileStore(folder: folder)
    var environment = DatabaseEnvironment(
      clock: clock,
      schedule: { DispatchQueue.schedule($0, $1) },
      deliver: { effects, _ in answers.take(effects) },
      notice: notice)
    environment.followed = { places, _, _, _ in changes.take(places) }
    database = try open(environment)
    begin()
    changes.setHandler({ [weak self] places in
      guard let self else { return }
      queue.async { self.changed(at: places) }
    })
  }

  /// Sets the observer of files that were changed, by this node or another one; called on a thread that may block.
  func whenChanged(_ handler: @escaping @Sendable (_ path: String) -> Void) { changed.withLock { $0 = handler } }

  /// Closes the files. Blocks.
  func close() {
    database.close()
    queue.sync {}
  }

  /// Returns when all changes that were acknowledged before are known here and in the data folder, and observers were
  /// called. Blocks.
  func catchUp() {
    guard database.isFollowing else { return }
    let reply = answers.ask(seconds: Self.timeoutSeconds) { [database] request in
      database.submit([
        Command(connection: Self.connection, request: request, principal: .administrator, action: .barrier)
      ])
    }
    if case .ok = reply { queue.sync {} }
  }

  // MARK: Files

  func read(_ path: String, bytesMax: Int) throws(AtomicFile.Problem) -> [UInt8]? {
    guard case .string(let text)? = database.published.root[Self.place(of: path)].scalar else { return nil }
    guard text.utf8.count <= bytesMax else { throw AtomicFile.Problem("cannot be read", cause: "it is too large") }
    return Array(text.utf8)
  }

  func write(_ text: [UInt8], to path: String, over expected: [UInt8]?) throws(AtomicFile.Problem) -> Bool {
    guard text.count <= Self.fileBytesMax, let value = String(validating: text, as: UTF8.self) else {
      throw AtomicFile.Problem(
        "cannot be written", cause: "\(text.count) bytes are more than nodes share (\(Self.fileBytesMax)), or no text")
    }
    let before = expected.map { Node(.string(String(decoding: $0, as: UTF8.self))).simpleHash() } ?? ""
    return try put(Node(.string(value)), at: path, over: before)
  }

  func remove(_ path: String) -> Bool { (try? put(.empty, at: path, over: nil)) ?? false }

  func names(in folder: String) throws(AtomicFile.Problem) -> [String] {
    var names: [String] = []
    database.published.root[Self.place(of: folder)].forEachChild { key, _ in
      names.append(Self.name(of: Key(utf8: key)))
    }
    return names
  }

  func place(_ path: String) -> String { "\(Self.journalName):\(path)" }

  private func put(_ node: Node, at path: String, over hash: String?) throws(AtomicFile.Problem) -> Bool {
    let operation = WriteOperation(
      .put(Location(path: Self.place(of: path)), WriteValue(node)), expectedHash: hash)
    let reply = answers.ask(seconds: Self.timeoutSeconds) { [database] request in
      database.submit([
        Command(
          connection: Self.connection, request: request, principal: .administrator, action: .write(operation))
      ])
    }
    switch reply {
    case .ok, .written: return true
    case .stale: return false
    case .failure(let failure): throw AtomicFile.Problem("cannot be written", cause: failure.message)
    default: throw AtomicFile.Problem("cannot be written", cause: "the owner of \(Self.journalName) did not answer")
    }
  }

  // MARK: Keys

  /// The shared storage of the nodes' keys.
  var keys: any SharedKeyStore { SharedKeyFile(files: self) }

  private struct SharedKeyFile: SharedKeyStore {
    let files: SharedFiles

    func read() throws(KeyStoreError) -> String? {
      try mappingProblems { () throws(AtomicFile.Problem) in
        try files.read(SharedFiles.keysPath, bytesMax: SharedFiles.fileBytesMax).map {
          String(decoding: $0, as: UTF8.self)
        }
      }
    }

    func write(_ text: String, over expected: String?) throws(KeyStoreError) -> Bool {
      try mappingProblems { () throws(AtomicFile.Problem) in
        try files.write(Array(text.utf8), to: SharedFiles.keysPath, over: expected.map { Array($0.utf8) })
      }
    }

    private func mappingProblems<Value>(_ body: () throws(AtomicFile.Problem) -> Value) throws(KeyStoreError) -> Value {
      do throws(AtomicFile.Problem) {
        return try body()
      } catch {
        throw .unshared(path: files.place(SharedFiles.keysPath), error.what, cause: error.cause)
      }
    }
  }

  // MARK: The tree

  /// Returns the path of a file: names have dots and keys have none.
  private static func place(of path: String) -> Path {
    Path(
      path.split(separator: "/").map { name in
        Key(String(name).replacing("%", with: "%25").replacing(".", with: "%2E"))
      })
  }

  private static func name(of key: Key) -> String {
    key.text.replacing("%2E", with: ".").replacing("%25", with: "%")
  }

  private static func files(below node: Node, _ path: String) -> [String] {
    if node.scalar != nil { return [path] }
    var found: [String] = []
    node.forEachChild { key, child in
      let name = name(of: Key(utf8: key))
      found += files(below: child, path.isEmpty ? name : "\(path)/\(name)")
    }
    return found
  }

  // MARK: The folder

  /// Copies the log into the folder, or the other way around when the log is new.
  private func begin() {
    let root = database.published.root
    let own = Self.folders.flatMap { files(in: $0) }
    if root.isEmpty {
      for path in own { take(path) }
    } else {
      let shared = Self.files(below: root, "")
      for path in shared { keep(path) }
      for path in Set(own).subtracting(shared) { discard(path) }
    }
  }

  /// Returns the files of the data folder that are to be shared.
  private func files(in folder: String) -> [String] {
    (try? local.names(in: folder))?.flatMap { name -> [String] in
      let path = "\(folder)/\(name)"
      if name.hasSuffix(".json") { return [path] }
      return (try? local.names(in: path))?.filter { $0.hasSuffix(".json") }.map { "\(path)/\($0)" } ?? []
    } ?? []
  }

  private func take(_ path: String) {
    do throws(AtomicFile.Problem) {
      guard let bytes = try local.read(path, bytesMax: Self.fileBytesMax) else { return }
      _ = try write(bytes, to: path, over: nil)
    } catch {
      logger.error(
        "a file of the data folder could not be shared with the other nodes",
        metadata: ["path": "\(local.place(path))", "error": "it \(error.what): \(error.cause)"])
    }
  }

  private func keep(_ path: String) {
    guard path != Self.keysPath else { return }
    do throws(AtomicFile.Problem) {
      guard let bytes = try read(path, bytesMax: Self.fileBytesMax) else {
        return discard(path)
      }
      let known = try local.read(path, bytesMax: Self.fileBytesMax)
      if known != bytes { _ = try local.write(bytes, to: path, over: known) }
    } catch {
      logger.error(
        "a shared file could not be written to the data folder",
        metadata: ["path": "\(local.place(path))", "error": "it \(error.what): \(error.cause)"])
    }
  }

  /// Removes a copy, and the folder that a database's last one leaves empty.
  private func discard(_ path: String) {
    _ = local.remove(path)
    let folders = path.split(separator: "/").dropLast()
    if folders.count > 1 { rmdir(local.place(folders.joined(separator: "/"))) }
  }

  private func changed(at places: [Path]) {
    let root = database.published.root
    for place in places {
      let path = place.keys.map { Self.name(of: $0) }.joined(separator: "/")
      let paths = root[place].isEmpty ? [path] : Self.files(below: root[place], path)
      for path in paths {
        keep(path)
        changed.withLock { $0 }?(path)
      }
    }
  }
}

/// A queue of changes until an observer is set.
private final class ChangeQueue: Sendable {
  private struct State {
    var waiting: [[Path]] = []
    var handler: (@Sendable ([Path]) -> Void)?
  }

  private let state = Mutex(State())

  func take(_ places: [Path]) {
    let handler = state.withLock { state in
      if state.handler == nil { state.waiting.append(places) }
      return state.handler
    }
    handler?(places)
  }

  func setHandler(_ handler: @escaping @Sendable ([Path]) -> Void) {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.handler = handler
      return state.waiting
    }
    for places in waiting { handler(places) }
  }
}

/// The responses of the database, for threads that wait for them.
private final class ReplyWaiters: Sendable {
  private final class Answer: Sendable {
    let semaphore = DispatchSemaphore(value: 0)
    let reply = Mutex<Reply?>(nil)
  }

  private struct State {
    var last: Int32 = 0
    var waiting: [Int32: Answer] = [:]
  }

  private let state = Mutex(State())

  func take(_ effects: [Effect]) {
    for case .reply(_, let request, let reply) in effects {
      guard let answer = state.withLock({ $0.waiting.removeValue(forKey: request) }) else { continue }
      answer.reply.withLock { $0 = reply }
      answer.semaphore.signal()
    }
  }

  /// Sends a request and returns the response; nil when none came in time.
  func ask(seconds: Int, _ send: (Int32) -> Void) -> Reply? {
    let answer = Answer()
    let request = state.withLock { state in
      state.last &+= 1
      state.waiting[state.last] = answer
      return state.last
    }
    send(request)
    _ = answer.semaphore.wait(timeout: .now() + .seconds(seconds))
    _ = state.withLock { $0.waiting.removeValue(forKey: request) }
    return answer.reply.withLock { $0 }
  }
}
