import Synchronization

@testable import HearthBackup

/// Files in memory with simulated crashes: after any number of changes, with the possible states of a disk.
///
/// A file's bytes are durable once it was synchronized, and a name, or its removal, once its folder was. All other
/// changes are there, missing, or partial.
final class MemoryFiles: FileLayer {
  /// The disk's treatment of changes that were not yet durable.
  enum Disk: CaseIterable {
    /// All of them are there.
    case kept
    /// All of them are lost.
    case lost
    /// Names are there, with half of the bytes.
    case torn
  }

  private struct File {
    var bytes: [UInt8]
    var isDurable = false
  }

  private struct State {
    /// The number of each file by path.
    var names: [String: Int] = [:]
    /// The durable names.
    var durable: [String: Int] = [:]
    var contents: [Int: File] = [:]
    var folders: Set<String> = []
    var durableFolders: Set<String> = []
    var changeCount = 0
    var endsAfter: Int?
  }

  private let state: Mutex<State>

  init() { state = Mutex(State()) }

  private init(_ start: State) { state = Mutex(start) }

  /// The number of changes.
  var changeCount: Int { state.withLock { $0.changeCount } }

  /// Simulates a crash after this many more changes.
  func end(after count: Int?) { state.withLock { state in state.endsAfter = count.map { state.changeCount + $0 } } }

  /// Returns the files that the next start finds.
  func restarted(_ disk: Disk) -> MemoryFiles {
    state.withLock { state in
      var next = State()
      next.folders = disk == .lost ? state.durableFolders : state.folders
      next.durableFolders = next.folders
      let lostFolders = state.folders.subtracting(next.folders)
      for (path, number) in disk == .lost ? state.durable : state.names {
        guard var file = state.contents[number], !lostFolders.contains(where: { path.hasPrefix($0 + "/") }) else {
          continue
        }
        if !file.isDurable {
          switch disk {
          case .kept: break
          case .lost: file.bytes = []
          case .torn: file.bytes = Array(file.bytes.prefix(file.bytes.count / 2))
          }
        }
        file.isDurable = true
        next.names[path] = number
        next.contents[number] = file
      }
      // New file numbers must be greater than existing ones.
      next.changeCount = state.changeCount
      next.durable = next.names
      return MemoryFiles(next)
    }
  }

  /// All files by path.
  var all: [String: [UInt8]] {
    state.withLock { state in state.names.compactMapValues { state.contents[$0]?.bytes } }
  }

  /// Replaces the bytes of a file.
  func damage(_ path: String, _ bytes: [UInt8]) {
    state.withLock { state in if let number = state.names[path] { state.contents[number]?.bytes = bytes } }
  }

  private func change(_ body: (inout State) throws(BackupError) -> Void) throws(BackupError) {
    try state.withLock { (state) throws(BackupError) in
      if let end = state.endsAfter, state.changeCount >= end {
        throw BackupError(.inputOutput, "the world has ended")
      }
      state.changeCount += 1
      try body(&state)
    }
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  func makeFolder(_ path: String) throws(BackupError) { try change { $0.folders.insert(path) } }

  func names(in path: String) throws(BackupError) -> [String] {
    state.withLock { state in
      let prefix = path + "/"
      let below = Array(state.names.keys) + Array(state.folders)
      return Set(
        below.filter { $0.hasPrefix(prefix) }.compactMap { $0.dropFirst(prefix.count).split(separator: "/").first }
      )
      .map(String.init)
    }
  }

  func read(_ path: String, sizeBytesMax: Int) throws(BackupError) -> [UInt8]? {
    let bytes = state.withLock { state in state.names[path].flatMap { state.contents[$0]?.bytes } }
    if let bytes, bytes.count > sizeBytesMax { throw BackupError(.tooLarge, "too large", path: path) }
    return bytes
  }

  func create(_ path: String, _ bytes: [UInt8]) throws(BackupError) {
    try change { state in
      state.names[path] = state.changeCount
      state.contents[state.changeCount] = File(bytes: bytes)
    }
  }

  func synchronize(_ path: String) throws(BackupError) {
    try change { state in if let number = state.names[path] { state.contents[number]?.isDurable = true } }
  }

  func rename(_ path: String, to other: String) throws(BackupError) {
    try change { (state) throws(BackupError) in
      guard let number = state.names.removeValue(forKey: path) else {
        throw BackupError(.inputOutput, "no such file", path: path)
      }
      state.names[other] = number
    }
  }

  func synchronizeFolder(_ path: String) throws(BackupError) {
    try change { state in
      for name in Array(state.durable.keys) where Self.folder(of: name) == path && state.names[name] == nil {
        state.durable[name] = nil
      }
      for (name, number) in state.names where Self.folder(of: name) == path { state.durable[name] = number }
      state.durableFolders.formUnion(state.folders.filter { Self.folder(of: $0) == path })
    }
  }

  func remove(_ path: String) throws(BackupError) { try change { $0.names[path] = nil } }

  func lock(_ path: String, isShared: Bool) throws(BackupError) -> (any FileLock)? { Lock() }

  private final class Lock: FileLock {}
}
