import Dispatch
import HearthJournal
import HearthRules
import HearthTree
import Synchronization

/// One database: the engine, its mailbox, and the journal that makes its batches durable.
///
/// Commands from any thread enter the mailbox; one queue decides them in order, another makes batches durable and
/// releases their effects, so that the next batch is decided while the last one is on its way to the disk. Batches that
/// wait for the disk together share one append and one sync.
public final class Database: Sendable {
  /// The database's name, for logs.
  public let name: String

  /// What opening found.
  public let recovery: RecoveryReport

  let environment: DatabaseEnvironment
  let limits: EngineLimits
  let journal: any Journal
  let engine: Mutex<Engine>
  let mailbox = Mutex(Mailbox())
  let pipeline: Mutex<Pipeline>
  let durable: Mutex<Published>
  let decidingQueue: DispatchQueue
  let journalQueue: DispatchQueue
  let snapshotQueue: DispatchQueue
  /// Signalled when the pipeline takes batches again.
  let room = DispatchSemaphore(value: 0)

  /// Opens a database: takes the journal over, loads its snapshot and replays the log after it. Blocks until done.
  ///
  /// - Parameters:
  ///   - journal: The database's own; it is closed by ``close()``.
  ///   - initialRules: In force until rules are deployed; not stored.
  /// - Throws: `JournalError`, or ``RecordError`` for a record that cannot be read.
  public init(
    name: String, journal: any Journal, initialRules: RuleSet, environment: DatabaseEnvironment,
    limits: EngineLimits = EngineLimits()
  ) throws {
    let head = try journal.acquire()
    var found = Recovery(initialRules: initialRules)
    try found.run(journal, upTo: head)
    let state: Published
    (state, recovery) = found.state()
    self.name = name
    self.environment = environment
    self.limits = limits
    self.journal = journal
    engine = Mutex(Engine(state: state, limits: limits))
    durable = Mutex(state)
    pipeline = Mutex(
      Pipeline(head: head, bytesSinceSnapshot: recovery.replayedBytes, snapshotBytes: found.snapshotBytes))
    decidingQueue = DispatchQueue(label: "hearth.engine.\(name)")
    journalQueue = DispatchQueue(label: "hearth.journal.\(name)")
    snapshotQueue = DispatchQueue(label: "hearth.snapshot.\(name)", qos: .utility)
  }

  /// The last durable state. Holding it costs the memory of what changes meanwhile.
  public var published: Published { durable.withLock { $0 } }

  /// Whether the database takes commands; a halted one must be opened again.
  public var status: DatabaseStatus { pipeline.withLock { $0.status } }

  /// Hands commands over; they are decided in this order, after all that was handed over before.
  ///
  /// - Parameter sizeBytes: What the commands hold in memory, roughly: the bytes that they were read from.
  /// - Returns: False when so much waits that the caller should read no more from its sockets until it gets effects.
  ///   The commands are taken all the same.
  @discardableResult
  public func submit(_ commands: [Command], sizeBytes: Int = 0) -> Bool {
    guard !commands.isEmpty else { return true }
    let (isWaking, hasRoom) = mailbox.withLock { box in
      box.commands.append(contentsOf: commands)
      box.sizeBytes += sizeBytes
      let isWaking = !box.isAwake
      box.isAwake = true
      let hasRoom =
        box.commands.count <= limits.commandsPendingMax && box.sizeBytes <= limits.commandBytesPendingMax
      return (isWaking, hasRoom)
    }
    if isWaking { decidingQueue.async { self.drain() } }
    return hasRoom
  }

  /// Decides what is in the mailbox, makes it durable, releases its effects, and closes the journal. Blocks until done;
  /// must not be called from `deliver`. Later commands are answered as unavailable.
  public func close() {
    decidingQueue.sync { drain() }
    journalQueue.sync { writeWaiting() }
    pipeline.withLock { $0.status = .closed }
    // What was under way when the status changed is finished first.
    journalQueue.sync {}
    snapshotQueue.sync {}
    do {
      try journal.close()
    } catch {
      environment.notice(.closeFailed(error))
    }
  }
}
