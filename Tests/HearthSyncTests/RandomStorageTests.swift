import HearthTree
import RandomTestKit
import Testing

@testable import HearthSync

/// Tests of random listens, pushes and writes on a client with a store: another client on the same store, without a
/// connection, shows the same data for each complete query.
@Suite struct RandomStorageTests {
  @Test("the store agrees with the cache")
  func sample() { for seed in 0..<150 { Self.run(seed: seed) } }

  @Test("the store agrees with the cache: torture", .enabled(if: Torture.isOn))
  func torture() {
    let first = Int.random(in: 0..<1_000_000_000)
    print("random storage: seeds from \(first)")
    for seed in first..<first + 20_000 { Self.run(seed: seed) }
  }

  static func run(seed: Int) {
    var random = SeededRandom(scattered: seed)
    let store = MemoryStore()
    var now: Int64 = 0
    let core = SyncCore(clock: { now }, store: store)
    _ = core.restore()
    var server = SimulatedServer(data: random.node(depth: 3))
    var replies: [QuerySpec: RequestID] = [:]
    var shown: [RegistrationID: (spec: QuerySpec, value: Node)] = [:]
    var specs: [RegistrationID: QuerySpec] = [:]
    var harness: [String] = []

    func note(_ reaction: Reaction) {
      for case .data(let event) in reaction.events {
        shown[event.registration] = (event.query, event.node)
      }
      for request in reaction.requests {
        switch request.body {
        case .listen(let spec, let tag, _, _):
          replies[spec] = request.id
          server.follow(.start(spec, tag: tag))
        case .unlisten(let spec, let tag): server.follow(.stop(spec, tag: tag))
        default: break
        }
      }
    }
    func deliver() {
      while !server.messages.isEmpty {
        switch server.messages.removeFirst() {
        case .overwrite(let location, let node, let tag): note(core.serverOverwrite(location, node, tag: tag))
        case .merge(let path, let changes, let tag): note(core.serverMerge(path, changes, tag: tag))
        case .complete(let spec, _): if let id = replies[spec] { note(core.reply(id, SyncReply())) }
        case .settled: break
        }
      }
    }

    note(core.connectionReady())
    for step in 0..<25 {
      now += 1
      if random.isOne(in: 4), let id = specs.keys.sorted().randomElement(using: &random), let spec = specs[id] {
        harness.append("unlisten \(spec)")
        specs[id] = nil
        shown[id] = nil
        note(core.remove(id, from: spec))
      } else if random.isOne(in: 2) {
        let (id, spec) = (RegistrationID(step), QuerySpec(random.path(upTo: 2), random.query()))
        harness.append("listen \(spec)")
        specs[id] = spec
        note(core.listen(spec, Registration(id, types: .value)))
      } else {
        let path = random.path(upTo: 3)
        let node = random.node(depth: 3 - path.count)
        harness.append("server writes \(path) \(SyncCoreHarness.text(node))")
        server.write([(Location(path: path), node)])
      }
      deliver()
    }

    check(shown, restoredFrom: store, at: now, "seed \(seed)", harness)
  }

  /// Checks that a restarted core shows the values of the former one.
  private static func check(
    _ shown: [RegistrationID: (spec: QuerySpec, value: Node)], restoredFrom store: MemoryStore, at now: Int64,
    _ seed: String, _ harness: [String]
  ) {
    let next = SyncCore(clock: { now }, store: store)
    _ = next.restore()
    for (id, known) in shown.sorted(by: { $0.key < $1.key }) {
      var values: [Node] = []
      for case .data(let event) in next.listen(known.spec, Registration(id, types: .value)).events {
        values.append(event.node)
      }
      if values.last != known.value {
        Issue.record(
          """
          \(seed): \(known.spec) shows \(values.map { SyncCoreHarness.text($0) }) instead of \(SyncCoreHarness.text(known.value))
          \(harness.joined(separator: "\n"))
          """)
        return
      }
    }
  }
}
