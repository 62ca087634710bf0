import Foundation
import HearthJournal

/// A folder that disappears with the test that made it.
final class JournalFolder {
  let path: String

  init() throws {
    // In memory where there is such a place: these tests are about what is written, not about how long a disk takes.
    let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    path = parent + "/hearth-journal-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a journal in the folder.
  func file(_ name: String = "main.journal") -> String { path + "/" + name }

  /// The bytes of a file.
  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(name)))) }

  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
  }

  /// Copies a file; nothing happens when there is none. What another copy of that name has left beside it is not of
  /// this one.
  func copy(_ source: String, to target: String) throws {
    guard exists(source) else { return }
    for old in [target, target + ".mark"] { try? FileManager.default.removeItem(atPath: file(old)) }
    try FileManager.default.copyItem(atPath: file(source), toPath: file(target))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: file(name))
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }
}

/// A small generator whose sequence is the same everywhere (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

extension JournalBatch {
  /// A batch that follows `head`; its content tells its position.
  static func following(_ head: JournalHead, commits: Int64 = 1, sizeBytes: Int = 100) -> JournalBatch {
    let first = head.position + 1
    let payload = (0..<sizeBytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(truncatingIfNeeded: first) &* 7) }
    return JournalBatch(firstPosition: first, lastPosition: head.position + commits, payload: payload)
  }
}

extension Journal {
  /// Appends batches of one commit after `head`.
  func appendBatches(_ count: Int, after head: JournalHead, sizeBytes: Int = 100) throws -> JournalHead {
    var head = head
    for _ in 0..<count {
      head = try append(.following(head, sizeBytes: sizeBytes), after: head)
    }
    return head
  }

  /// Everything in the log after `position`.
  func allBatches(after position: Int64 = 0) throws -> [JournalBatch] {
    var batches: [JournalBatch] = []
    try forEachBatch(after: position) { batches.append($0) }
    return batches
  }
}

/// A blocking call on a thread of its own: the few threads that tasks share must not wait for a gate.
struct BlockingCall<Value: Sendable>: Sendable {
  private let results: AsyncStream<Result<Value, any Error>>

  init(_ body: @escaping @Sendable () throws -> Value) {
    let (stream, continuation) = AsyncStream<Result<Value, any Error>>.makeStream()
    results = stream
    Thread.detachNewThread {
      continuation.yield(Result { try body() })
      continuation.finish()
    }
  }

  func value() async throws -> Value {
    for await result in results { return try result.get() }
    throw CancellationError()
  }
}
