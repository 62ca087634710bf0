import Foundation
import HearthTree
import RandomTestKit
import Testing

@testable import HearthSync

/// Tests of random listens, writes, pushes and replies: after each step every view equals a fresh computation, and its
/// events transform the previous data into the view.
@Suite struct RandomSyncTests {
  @Test("views agree with a simple model, and in the end with the server")
  func sample() throws { for seed in 0..<300 { try Self.run(seed: seed, steps: 40) } }

  @Test("views agree with a simple model: torture", .enabled(if: Torture.isOn))
  func torture() throws {
    let first = Int.random(in: 0..<1_000_000_000)
    print("random sync: seeds from \(first)")
    for seed in first..<first + 20_000 { try Self.run(seed: seed, steps: 60) }
  }

  static func run(seed: Int, steps: Int) throws {
    var run = RandomSyncRun(seed: seed)
    for step in 0..<steps {
      run.step()
      if let problem = run.problem() {
        Issue.record("seed \(seed), step \(step): \(problem)\n\(run.harness.suffix(12).joined(separator: "\n"))")
        return
      }
    }
    while run.deliver() {
      if let problem = run.problem() {
        Issue.record("seed \(seed), at the end: \(problem)\n\(run.harness.suffix(12).joined(separator: "\n"))")
        return
      }
    }
    if let problem = run.problemAtRest() {
      Issue.record("seed \(seed), at rest: \(problem)\n\(run.harness.suffix(40).joined(separator: "\n"))")
    }
  }
}

private struct RandomSyncRun {
  private var random: SeededRandom
  private let tree = SyncTree()
  private var server: SimulatedServer
  private var nextID = 1
  private var listening: [(spec: QuerySpec, id: RegistrationID)] = []
  /// Writes that the server has not received.
  private var sent: [(id: Int, changes: [(Location, Node)])] = []
  private(set) var harness: [String] = []
  /// The data of each registration from its events: the children, and the last value.
  private var told: [RegistrationID: (children: Node, value: Node?)] = [:]

  init(seed: Int) {
    random = SeededRandom(scattered: seed)
    server = SimulatedServer(data: random.node(depth: 3))
    harness.append("server: \(Self.text(server.data))")
  }

  private static func text(_ node: Node) -> String { String(decoding: node.json(), as: UTF8.self) }

  mutating func step() {
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: listen()
    case 2:
      if let place = listening.indices.randomElement(using: &random) {
        let (spec, id) = listening.remove(at: place)
        harness.append("unlisten \(spec)")
        told[id] = nil
        tree.remove(id, from: spec)
        sendListenChanges()
      }
    case 3, 4:
      let changes = self.changes()
      harness.append("server writes \(changes.map { "\($0.0) \(Self.text($0.1))" })")
      server.write(changes)
    case 5, 6: write()
    case 7:
      if let place = sent.indices.randomElement(using: &random), random.isOne(in: 3) {
        // Like a transaction that is overwritten before it is sent.
        let (id, _) = sent.remove(at: place)
        harness.append("abort \(id)")
        note(tree.settle(id, isReverted: true))
      } else if !sent.isEmpty {
        let (id, changes) = sent.removeFirst()
        let isReverted = random.isOne(in: 3)
        if !isReverted { server.write(changes) }
        server.messages.append(.settled(id, isReverted: isReverted))
      }
    default: _ = deliver()
    }
  }

  private mutating func sendListenChanges() { for change in tree.takeListenChanges() { server.follow(change) } }

  private mutating func listen() {
    let spec = QuerySpec(random.path(upTo: 2), random.query())
    harness.append("listen \(spec)")
    let id = RegistrationID(nextID)
    nextID += 1
    listening.append((spec, id))
    told[id] = (.empty, nil)
    note(tree.add(Registration(id, types: .all), to: spec))
    sendListenChanges()
  }

  /// Returns one path, or several paths none of which is an ancestor of another.
  private mutating func changes() -> [(Location, Node)] {
    var changes: [(Location, Node)] = []
    for _ in 0..<(random.isOne(in: 2) ? 1 : 3) {
      let path = random.path(upTo: 3)
      if changes.contains(where: { $0.0.path.contains(path) || path.contains($0.0.path) }) { continue }
      if random.isOne(in: 6) {
        // The server refuses a priority at an empty path.
        if !server.data[path].isEmpty {
          changes.append((Location(path: path, isPriority: true), random.priority().map { Node($0) } ?? .empty))
        }
      } else {
        changes.append((Location(path: path), random.node(depth: 3 - path.count)))
      }
    }
    return changes
  }

  private mutating func write() {
    let changes = self.changes()
    guard let first = changes.first else { return }
    let id = nextID
    nextID += 1
    let list = changes.map { "\($0.0) \(Self.text($0.1))" }
    if changes.count == 1 {
      let isVisible = !random.isOne(in: 5)
      harness.append("set \(id) \(list) \(isVisible ? "" : "hidden")")
      note(tree.userOverwrite(id, first.0, first.1, isVisible: isVisible))
    } else {
      harness.append("update \(id) \(list)")
      note(tree.userMerge(id, .root, changes))
    }
    sent.append((id, changes))
  }

  /// Delivers one message, or otherwise lets the server receive a write; returns false when there is neither.
  mutating func deliver() -> Bool {
    guard !server.messages.isEmpty else {
      guard !sent.isEmpty else { return false }
      let (id, changes) = sent.removeFirst()
      server.write(changes)
      server.messages.append(.settled(id, isReverted: false))
      return true
    }
    switch server.messages.removeFirst() {
    case .overwrite(let location, let node, let tag):
      harness.append("push \(location) \(Self.text(node)) tag \(tag ?? 0)")
      note(tree.serverOverwrite(location, node, tag: tag))
    case .merge(let path, let changes, let tag):
      harness.append("merge \(path) \(changes.map { "\($0.0) \(Self.text($0.1))" }) tag \(tag ?? 0)")
      note(tree.serverMerge(path, changes, tag: tag))
    case .complete(let spec, let tag):
      harness.append("complete \(spec.path) tag \(tag ?? 0)")
      note(tree.listenComplete(spec, tag: tag))
    case .settled(let id, let isReverted):
      harness.append("\(isReverted ? "revert" : "ack") \(id)")
      note(tree.settle(id, isReverted: isReverted))
    }
    return true
  }

  private mutating func note(_ events: [DataEvent]) {
    for event in events {
      guard var known = told[event.registration] else { continue }
      switch event.type {
      case .childRemoved: known.children = known.children.replacing(event.key ?? "", with: .empty)
      case .value: known.value = event.node
      default: known.children = known.children.replacing(event.key ?? "", with: event.node)
      }
      told[event.registration] = known
    }
  }

  // MARK: - Checks

  private var views: [(path: Path, view: View)] {
    func collect(_ point: SyncPoint, _ path: Path) -> [(path: Path, view: View)] {
      point.views.map { (path, $0) }
        + point.sortedChildren.flatMap { collect($0.point, path.appending($0.key)) }
    }
    return collect(tree.root, .root)
  }

  /// Returns a problem, or nil when there is none.
  func problem() -> String? {
    var rebuilt = CompoundWrite()
    for id in tree.writes.ids {
      if let record = tree.writes[id], record.isVisible { rebuilt.add(record.content, at: record.path) }
    }
    for (path, view) in views {
      let writes = WriteView(rebuilt.child(at: path))
      let (event, known) = (view.cache.event, view.cache.server)
      if known.isInitialized, !known.isFiltered {
        let whole = writes.eventCache(server: known.node) ?? .empty
        let expected = view.spec.loadsAllData ? whole : QueryResult(view.spec.query, of: whole).node
        if expected != event.node {
          return "\(view.spec) shows \(Self.text(event.node)) instead of \(Self.text(expected))"
        }
      }
      if known.isInitialized, !event.isInitialized { return "\(view.spec) is not initialized" }
      for registration in view.registrations {
        guard let told = told[registration.id] else { continue }
        let children = event.node.isInterior ? event.node.with(priority: nil) : .empty
        if told.children != children {
          return "\(view.spec) shows \(Self.text(children)), its events made \(Self.text(told.children))"
        }
        if event.isInitialized, told.value != event.node {
          return
            "\(view.spec) shows \(Self.text(event.node)), told was \(told.value.map { Self.text($0) } ?? "nothing")"
        }
        if !event.isInitialized, told.value != nil, known.isInitialized { return "\(view.spec) told too much" }
      }
    }
    return nil
  }

  /// Returns a problem when no message is in flight: every view must show the server's data.
  func problemAtRest() -> String? {
    for (_, view) in views {
      let expected = server.result(of: view.spec)
      if !view.cache.event.isInitialized || view.cache.event.node != expected {
        return "\(view.spec) shows \(Self.text(view.cache.event.node)) instead of \(Self.text(expected))"
      }
    }
    if !tree.writes.isEmpty || !tree.writes.visible.isEmpty { return "writes are left" }
    return nil
  }
}
