import Dispatch
import HearthConsole
import HearthCrypto
import HearthEngine
import HearthGateway
import HearthSystem
import Logging
import Synchronization

/// The file `console-sessions.json` in the data folder, from which the console's sessions are restored after a restart.
///
/// It has no secrets: a session is opened by two random halves, of which it has the hashes. Only the folder's owner can
/// read it, and backups leave it out. Opened and ended sessions are written at once, uses after a pause.
final class ConsoleSessionStore: Sendable {
  static let fileName = "console-sessions.json"
  /// The maximum size of the file; a longer one is not read.
  static let fileBytesMax = 1 << 20
  /// The time for which uses wait to be written.
  static let useSeconds = 30

  private struct State {
    /// True while a write is queued that begins later than this moment.
    var isQueued = false
    /// True while a delayed write is scheduled.
    var isScheduled = false
    /// True when the last write failed, which is logged once.
    var isFailing = false
  }

  private let file: AtomicFile
  private let access: ConsoleAccess
  private let operatorCredential: Digest
  private let clock: @Sendable () -> Instant
  private let logger: Logger
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "hearth.console.sessions")

  /// - Parameter operatorCredential: the hash of the credential by which links are made.
  init(
    folder: String, access: ConsoleAccess, operatorCredential: Digest,
    clock: @escaping @Sendable () -> Instant = { SystemClock.now }, logger: Logger
  ) {
    file = AtomicFile(folder: folder, name: Self.fileName)
    (self.access, self.operatorCredential, self.clock, self.logger) = (access, operatorCredential, clock, logger)
  }

  /// Restores the sessions of the file, and writes them from now on. Blocks.
  ///
  /// - Parameter isVouchedFor: returns false when the credential of a user no longer counts.
  func restore(isVouchedFor: (ConsoleUser) -> Bool) {
    let now = clock()
    do throws(AtomicFile.Problem) {
      let text = try file.read(bytesMax: Self.fileBytesMax)
      if let text, let list = ConsoleSessionList(text: text) {
        access.restore(
          list, operatorCredential: operatorCredential, wallNow: now.wallMilliseconds,
          now: now.monotonicMilliseconds, isVouchedFor: isVouchedFor)
      } else if text != nil {
        logger.warning("console sessions end: their file cannot be read", metadata: ["path": "\(file.path)"])
      }
      if text != nil { write() }
    } catch {
      logger.warning(
        "console sessions end: their file \(error.what)", metadata: ["path": "\(file.path)", "error": "\(error.cause)"])
    }
    access.whenChanged { [weak self] change in self?.changed(change) }
  }

  /// Removes the file of a folder, whose sessions end with it. Blocks.
  static func remove(from folder: String) { _ = AtomicFile(folder: folder, name: fileName).remove() }

  /// Returns once all changes so far are on the disk.
  func save() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      queue.async {
        self.writeQueued()
        done.resume()
      }
    }
  }

  /// Writes the last uses, and returns once they are on the disk.
  func close() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      queue.async {
        self.write()
        done.resume()
      }
    }
  }

  private func changed(_ change: ConsoleAccess.Change) {
    switch change {
    case .sessions:
      let isFirst = state.withLock { state in
        defer { state.isQueued = true }
        return !state.isQueued
      }
      if isFirst { queue.async { self.writeQueued() } }
    case .use: schedule()
    }
  }

  private func schedule() {
    let isFirst = state.withLock { state in
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + .seconds(Self.useSeconds)) { [weak self] in
      guard let self else { return }
      state.withLock { $0.isScheduled = false }
      write()
    }
  }

  /// Writes unless a later change was written already.
  private func writeQueued() {
    let isQueued = state.withLock { state in
      defer { state.isQueued = false }
      return state.isQueued
    }
    if isQueued { write() }
  }

  /// Writes the current sessions. When they cannot be written, the file is removed: a session that has ended must not
  /// come back, so all end with the process.
  private func write() {
    let now = clock()
    let list = access.records(
      operatorCredential: operatorCredential, wallNow: now.wallMilliseconds, now: now.monotonicMilliseconds)
    // Without any session so far there is no file.
    guard list.lastID > 0 else { return }
    do throws(AtomicFile.Problem) {
      try file.write(list.text)
      state.withLock { $0.isFailing = false }
    } catch {
      let isRemoved = file.remove()
      let isFirst = state.withLock { state in
        defer { state.isFailing = true }
        return !state.isFailing
      }
      if isFirst {
        logger.error(
          "console sessions will end with the server: their file \(error.what)",
          metadata: ["path": "\(file.path)", "error": "\(error.cause)", "removed": "\(isRemoved)"])
      }
      // Until there is a file of the current sessions, or none.
      if !isRemoved { schedule() }
    }
  }
}

extension ConsoleSessionStore {
  /// Returns the hash of the credential by which links are made.
  ///
  /// - Parameter isEmulator: true for an emulator, where every program on the machine can make links: its sessions do
  ///   not continue on a server that is none.
  static func operatorCredential(_ adminToken: String, isEmulator: Bool) -> Digest {
    Digest(sha256: "console session\n\(isEmulator ? "emulator" : "server")\n\(adminToken)".utf8)
  }
}
