import CLinux
import Glibc
import HearthSystem
import Synchronization

/// An owner of processes whose descriptors the loop watches.
protocol ProcessOwner: AnyObject, Sendable {
  /// Does the due work, and returns the descriptors to watch. Called on the loop's thread, before each wait.
  func runDueWork(now: Int64) -> ProcessWatch
  /// Handles a watched descriptor that is ready. Called on the loop's thread.
  func handleReady(_ descriptor: Int32, now: Int64)
}

/// The events that an owner of processes waits for.
struct ProcessWatch {
  var readable: [Int32] = []
  var writable: [Int32] = []
  /// The time at which the owner is called in any case; nil for never.
  var wakeAt: Int64?
  /// True when no more events come, and the loop forgets the owner.
  var isOver = false
}

/// The single thread that starts and watches plugins' processes.
final class ProcessLoop: Sendable {
  private static let pauseMicroseconds: UInt32 = 20_000

  private struct State {
    var owners: [any ProcessOwner] = []
    var isStopped = false
  }

  private let state = Mutex(State())
  /// The reading end of the pipe that ends a wait.
  private let wakeRead: Int32
  private let wakeWrite: Int32
  private let isWakeSent = Atomic<Bool>(false)

  /// Starts the thread.
  ///
  /// - Throws: `PluginProcess.Problem` when there is no descriptor or no thread left.
  init() throws(PluginProcess.Problem) {
    var ends: [Int32] = [-1, -1]
    guard linux_pipe(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else {
      throw PluginProcess.Problem(description: String(cString: strerror(errno)))
    }
    (wakeRead, wakeWrite) = (ends[0], ends[1])
    // A process that ends while it is written to must not end the server.
    signal(SIGPIPE, SIG_IGN)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, 1 << 20)
    var thread = pthread_t()
    let loop = Unmanaged.passRetained(self).toOpaque()
    let problem = pthread_create(
      &thread, &attributes,
      { loop in
        if let loop { Unmanaged<ProcessLoop>.fromOpaque(loop).takeRetainedValue().run() }
        return nil
      }, loop)
    guard problem == 0 else {
      Unmanaged<ProcessLoop>.fromOpaque(loop).release()
      throw PluginProcess.Problem(description: String(cString: strerror(problem)))
    }
  }

  /// Watches an owner's processes from now on.
  func add(_ owner: any ProcessOwner) {
    state.withLock { $0.owners.append(owner) }
    wake()
  }

  /// Makes the loop ask every owner again for its descriptors.
  func wake() {
    guard !isWakeSent.exchange(true, ordering: .acquiringAndReleasing) else { return }
    var byte: UInt8 = 0
    _ = write(wakeWrite, &byte, 1)
  }

  /// Ends the thread once every owner is over.
  func stop() {
    state.withLock { $0.isStopped = true }
    wake()
  }

  deinit {
    close(wakeRead)
    close(wakeWrite)
  }

  private func run() { while runRound() {} }

  /// Runs one round; returns false after the last one.
  private func runRound() -> Bool {
    var now = Clock.monotonicMilliseconds
    let owners = state.withLock { $0.owners }
    var watched = [pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0)]
    var watchedOwners: [any ProcessOwner] = []
    var wakeAt: Int64?
    var finished: [any ProcessOwner] = []
    for owner in owners {
      let watch = owner.runDueWork(now: now)
      if watch.isOver { finished.append(owner) }
      let events = watch.readable.map { ($0, POLLIN) } + watch.writable.map { ($0, POLLOUT) }
      for (descriptor, event) in events {
        watched.append(pollfd(fd: descriptor, events: Int16(event), revents: 0))
        watchedOwners.append(owner)
      }
      if let time = watch.wakeAt { wakeAt = min(wakeAt ?? time, time) }
    }
    let isLast = state.withLock { state in
      state.owners.removeAll { owner in finished.contains { $0 === owner } }
      return state.isStopped && state.owners.isEmpty
    }
    if isLast { return false }
    let timeout = wakeAt.map { Int32(clamping: max(0, min($0 - now, 60_000))) } ?? -1
    guard poll(&watched, nfds_t(watched.count), timeout) >= 0 else {
      // Other errors than an interruption, such as a lack of memory, last a while: an immediate retry would keep a
      // processor busy.
      if errno != EINTR { usleep(Self.pauseMicroseconds) }
      return true
    }
    now = Clock.monotonicMilliseconds
    if watched[0].revents != 0 { forgetWake() }
    for (entry, owner) in zip(watched.dropFirst(), watchedOwners) where entry.revents != 0 {
      owner.handleReady(entry.fd, now: now)
    }
    return true
  }

  private func forgetWake() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wakeRead, &bytes, bytes.count) > 0 {}
    isWakeSent.store(false, ordering: .releasing)
  }
}
