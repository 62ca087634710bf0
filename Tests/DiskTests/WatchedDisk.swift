import CDiskTap
import Foundation
import Synchronization

/// A watched folder: every change to its files is recorded, and calls fail according to a plan.
///
/// Syncs are recorded and not executed, because the machine does not fail. Only one folder is watched at a time.
final class WatchedDisk: Sendable {
  /// A fault of the file system.
  enum Fault: String, CaseIterable, Sendable {
    case fullOnWrite = "ENOSPC, write"
    case failedWrite = "EIO, write"
    case shortWrite = "short write"
    case shortThenFull = "short write, then ENOSPC"
    case failedRead = "EIO, read"
    case failedSync = "EIO, sync"
    /// The unsynced pages may be lost, and later syncs do not report it.
    case lostSync = "EIO, sync, pages lost"
    case fullOnOpen = "ENOSPC, new file"
    case failedTruncate = "EIO, truncate"
    case failedRename = "EIO, rename"
    case failedUnlink = "EIO, unlink"

    fileprivate var kind: disk_call_kind {
      switch self {
      case .fullOnWrite, .failedWrite, .shortWrite, .shortThenFull: DISK_WRITE
      case .failedRead: DISK_READ
      case .failedSync, .lostSync: DISK_SYNC
      case .fullOnOpen: DISK_OPEN
      case .failedTruncate: DISK_TRUNCATE
      case .failedRename: DISK_RENAME
      case .failedUnlink: DISK_UNLINK
      }
    }
  }

  private struct State {
    var events: [DiskEvent] = []
    var fault: Fault?
    /// The number of calls of the fault's kind until it happens.
    var countdown = 0
    var didHappen = false
    var isFullNow = false
    /// The ending of file names to which the fault is limited.
    var suffix = ""
    /// The number of times that the fault still happens.
    var timesLeft = 1
  }

  let folder: String
  private let state = Mutex(State())

  private static let current = Mutex<WatchedDisk?>(nil)

  /// Creates a recorder.
  ///
  /// - Parameter folder: The path as realpath(3) returns it.
  private init(folder: String) { self.folder = folder }

  /// Watches a folder while the body runs.
  ///
  /// - Parameters:
  ///   - fault: Happens once, in the call of its kind with that number, from 0 on.
  ///   - body: Must close its files before it returns, unless their later changes do not matter.
  /// - Returns: Nil when calls cannot be watched.
  static func watch(
    _ folder: String, _ fault: Fault? = nil, at number: Int = 0, _ body: (WatchedDisk) throws -> Void
  ) rethrows -> WatchedDisk? {
    let disk = WatchedDisk(folder: folder)
    disk.state.withLock { ($0.fault, $0.countdown) = (fault, number) }
    current.withLock { $0 = disk }
    defer {
      disk_tap_end()
      current.withLock { $0 = nil }
    }
    let isWatching = disk_tap_begin(
      folder, { WatchedDisk.current.withLock(\.self)?.result($0!.pointee) ?? 0 },
      { WatchedDisk.current.withLock(\.self)?.note($0!.pointee, Int($1)) })
    guard isWatching != 0 else { return nil }
    try body(disk)
    return disk
  }

  /// The recorded events in order.
  var events: [DiskEvent] { state.withLock { $0.events } }

  /// True when the fault happened.
  var didHappen: Bool { state.withLock { $0.didHappen } }

  /// Makes calls on files with that ending fail from now on, a number of times.
  func fail(_ fault: Fault, of suffix: String, times: Int = 1) {
    state.withLock { state in
      (state.fault, state.countdown, state.didHappen) = (fault, 0, false)
      (state.suffix, state.timesLeft) = (suffix, times)
    }
  }

  /// Records that a value is acknowledged from here on.
  func promise(_ value: Int64) { state.withLock { $0.events.append(.promise(value)) } }

  private func result(_ call: disk_call) -> Int64 {
    // SQLite's shared-memory file has no durable content.
    if String(cString: call.path).hasSuffix("-shm") { return 0 }
    return state.withLock { state in
      if state.isFullNow, call.kind == DISK_WRITE {
        state.isFullNow = false
        return Int64(-ENOSPC)
      }
      guard let fault = state.fault, fault.kind == call.kind, !state.didHappen,
        String(cString: call.path).hasSuffix(state.suffix)
      else { return 0 }
      state.countdown -= 1
      guard state.countdown < 0 else { return 0 }
      if fault == .shortWrite || fault == .shortThenFull, call.count < 2 { return 0 }
      state.timesLeft -= 1
      state.didHappen = state.timesLeft <= 0
      switch fault {
      case .fullOnWrite, .fullOnOpen: return Int64(-ENOSPC)
      case .shortWrite, .shortThenFull:
        state.isFullNow = fault == .shortThenFull
        return call.count / 2
      case .lostSync:
        state.events.append(.lostSync(String(cString: call.path)))
        return Int64(-EIO)
      case .failedWrite, .failedRead, .failedSync, .failedTruncate, .failedRename, .failedUnlink: return Int64(-EIO)
      }
    }
  }

  private func note(_ call: disk_call, _ count: Int) {
    let path = String(cString: call.path)
    guard !path.hasSuffix("-shm") else { return }
    let event: DiskEvent? =
      switch call.kind {
      case DISK_OPEN: call.is_new != 0 ? .create(path) : .truncate(path, 0)
      case DISK_WRITE:
        .write(path, Int(call.offset), Array(UnsafeRawBufferPointer(start: call.bytes, count: count)))
      case DISK_TRUNCATE: .truncate(path, Int(call.offset))
      case DISK_SYNC: .sync(path)
      case DISK_UNLINK: .unlink(path)
      case DISK_RENAME: .rename(path, String(cString: call.other))
      case DISK_LINK: .link(path, String(cString: call.other))
      default: nil
      }
    if let event { state.withLock { $0.events.append(event) } }
  }
}

/// An event on the files of a folder.
enum DiskEvent: Sendable {
  case create(String)
  case write(String, Int, [UInt8])
  case truncate(String, Int)
  /// A sync of a file or a folder.
  case sync(String)
  /// A failed sync, after which the unsynced data is never written.
  case lostSync(String)
  case unlink(String)
  case rename(String, String)
  case link(String, String)
  /// A value that the test acknowledged.
  case promise(Int64)
}
