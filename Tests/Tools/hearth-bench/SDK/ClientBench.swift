import ArgumentParser
import Dispatch
import Foundation
import HearthClient
import HearthProgram
import HearthServer
import HearthSystem
import Synchronization

/// `hearth-bench client`: the cost of the Swift client library, with its own server.
struct ClientBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "client",
    abstract: "Measure the Swift client library: events a second, latencies, memory, cold start.",
    discussion: """
      The library runs in this process, a server beside it on loopback; both share the machine. Memory is what this \
      process grows by.
      """)

  @Option(help: "Observers of one place, for the events a second.")
  var listeners = 1_000

  @Option(help: "Children of the place that is listened to for the cost of a large listen.")
  var children = 100_000

  @Option(help: "Megabytes of cached data for the cold start, at most 100.")
  var cacheMegabytes = 100

  @Option(help: "How long events are counted.")
  var durationSeconds = 2.0

  @OptionGroup var benchOptions: BenchOptions

  func validate() throws {
    guard (1...100_000).contains(listeners) else { throw ValidationError("--listeners must be 1 to 100000.") }
    guard (1...1_000_000).contains(children) else { throw ValidationError("--children must be 1 to 1000000.") }
    guard (1...100).contains(cacheMegabytes) else { throw ValidationError("--cache-megabytes must be 1 to 100.") }
    try LoadDuration.check(seconds: durationSeconds)
  }

  func run() async throws {
    let server = try BenchServer(
      program: benchOptions.program, rules: #"{"rules":{".read":true,".write":true}}"#, in: benchOptions.folder)
    defer { server.stop() }
    let url = "http://127.0.0.1:\(server.port)/?ns=default"
    Output.line("events: \(try await events(url))")
    Output.line("set to local event: \(try await latency(url))")
    Output.line("large listen: \(try await largeListen(url))")
    Output.line("objects: \(try await objects(url, in: server.folder))")
    Output.line("cold start: \(try await coldStart(url, in: server.folder))")
  }

  /// Returns a client with its own queue.
  private func client(_ url: String, storage: String? = nil) throws -> Database {
    let options = FirebaseOptions()
    options.storageDirectory = storage.map { URL(fileURLWithPath: $0) }
    // The cache folder on disk belongs to the app with that name.
    let name = storage ?? UUID().uuidString
    if FirebaseApp.app(name: name) == nil { FirebaseApp.configure(name: name, options: options) }
    guard let app = FirebaseApp.app(name: name) else { throw BenchServer.Failure(description: "no app \(name)") }
    let database = Database.database(app: app, url: url)
    database.callbackQueue = DispatchQueue(label: "bench")
    if storage != nil {
      database.isPersistenceEnabled = true
      database.persistenceCacheSizeBytes = 100 << 20
    }
    return database
  }

  /// Measures the values that all observers of a path receive when another client writes.
  private func events(_ url: String) async throws -> String {
    let (reader, writer) = (try client(url), try client(url))
    let count = Mutex(0)
    defer {
      reader.shutDown()
      writer.shutDown()
    }
    let ref = reader.reference(withPath: "events")
    for _ in 0..<listeners { ref.observe(.value) { _ in count.withLock { $0 += 1 } } }
    let place = writer.reference(withPath: "events")
    try await place.setValue(0)
    let (before, start) = (count.withLock { $0 }, WallClock.monotonicNanoseconds)
    var writes = 0
    while WallClock.seconds(since: start) < durationSeconds {
      writes += 1
      try await place.setValue(writes)
    }
    let seconds = WallClock.seconds(since: start)
    let events = Double(count.withLock { $0 } - before)
    return
      "\(Int(events / seconds)) a second with \(listeners) observers, \(Int(Double(writes) / seconds)) writes a second"
  }

  /// Measures the time from `setValue` to the block of an observer in the same process.
  private func latency(_ url: String) async throws -> String {
    let database = try client(url)
    defer { database.shutDown() }
    let ref = database.reference(withPath: "latency")
    _ = try await ref.setValue(-1)
    let (stream, told) = AsyncStream<UInt64>.makeStream()
    ref.observe(.value) { _ in told.yield(UInt64(WallClock.monotonicNanoseconds)) }
    var iterator = stream.makeAsyncIterator()
    _ = await iterator.next()
    var microseconds: [Double] = []
    for i in 0..<2_000 {
      let start = UInt64(WallClock.monotonicNanoseconds)
      Self.start { ref.setValue(i) }
      guard let end = await iterator.next() else { break }
      microseconds.append(Double(end - start) / 1000)
    }
    microseconds.sort()
    let p50 = microseconds[microseconds.count / 2]
    let p99 = microseconds[microseconds.count * 99 / 100]
    return "p50 \(Int(p50)) µs, p99 \(Int(p99)) µs"
  }

  /// Calls the overload of a write that does not wait.
  private static func start(_ write: () -> Void) { write() }

  /// Measures the time from `observe` to the value, and the memory that it takes.
  private func largeListen(_ url: String) async throws -> String {
    let writer = try client(url)
    var values: [String: Any] = [:]
    for i in 0..<children { values["child\(i)"] = i }
    try await writer.reference(withPath: "large").setValue(values)
    values = [:]
    await writer.close()
    let database = try client(url)
    defer { database.shutDown() }
    _ = try await database.reference(withPath: "none").getData()
    let before = Self.heldBytes
    let watch = Stopwatch()
    let ref = database.reference(withPath: "large")
    ref.keepSynced(true)
    let count = try await ref.singleEvent(of: .value).snapshot.childrenCount
    let time = watch.text
    // The data of the listen has been released when this read completes.
    _ = try await database.reference(withPath: "none").getData()
    let leafBytes = Double(Self.heldBytes - before) / Double(max(1, children))
    return "\(time) for \(count) children, \(Int(leafBytes)) bytes of memory for each"
  }

  /// The bytes in use by this process, without freed memory that the C library retains.
  private static var heldBytes: Int {
    Allocator.releaseFreeMemory()
    return ProcessStatistics.residentBytes() ?? 0
  }

  /// Measures the first listen on many objects of a client with a cache on disk, until the observer gets them and until
  /// all of it is stored, and the conversion to an app's dictionary.
  private func objects(_ url: String, in folder: String) async throws -> String {
    let writer = try client(url)
    var values: [String: Any] = [:]
    for i in 0..<children {
      values["-message\(i)"] = [
        "author": "user \(i % 1_000)", "text": "the text of message \(i)", "time": 1_700_000_000 + i,
      ]
    }
    try await writer.reference(withPath: "objects").setValue(values)
    values = [:]
    await writer.close()
    let database = try client(url, storage: folder + "/objects")
    _ = try await database.reference(withPath: "none").getData()
    let watch = Stopwatch()
    let ref = database.reference(withPath: "objects")
    ref.keepSynced(true)
    let snapshot = try await ref.singleEvent(of: .value).snapshot
    let told = watch.text
    await database.close()
    let stored = watch.text
    let conversion = Stopwatch()
    let count = (snapshot.value as? [String: Any])?.count ?? 0
    return
      "\(told) to the first value of \(snapshot.childrenCount) with a cache on disk, \(stored) until it is closed; \(conversion.text) for a dictionary of \(count)"
  }

  /// Measures the time from the first call of a new offline client to the value from its cache on disk.
  private func coldStart(_ url: String, in folder: String) async throws -> String {
    let first = try client(url, storage: folder + "/cache")
    let ref = first.reference(withPath: "cold")
    ref.keepSynced(true)
    let text = String(repeating: "x", count: 1_000)
    for part in 0..<cacheMegabytes {
      let values = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("k\($0)", text as Any) })
      try await ref.child("part\(part)").setValue(values)
    }
    _ = try await ref.singleEvent(of: .value)
    await first.close()
    let second = try client(url, storage: folder + "/cache")
    defer { second.shutDown() }
    let watch = Stopwatch()
    second.goOffline()
    let snapshot = try await second.reference(withPath: "cold").singleEvent(of: .value).snapshot
    return "\(watch.text) to the value of \(snapshot.childrenCount) MB on disk"
  }
}
