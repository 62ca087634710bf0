import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of commands that wait for large ones, and of their order afterwards.
@Suite final class LargeCommandSchedulerTests {
  private var queue: LargeCommandScheduler
  private static let state = DatabaseState(root: .empty, rules: .denyAll, position: 0)

  init() {
    var limits = DatabaseLimits()
    (limits.largeWriteAttemptsMax, limits.comparedListensWaitingMax) = (2, 2)
    (limits.roundCommandsMax, limits.roundsPendingPerConnectionMax) = (4, 2)
    queue = LargeCommandScheduler(limits: limits)
  }

  private static func put(_ connection: UInt64, _ path: String, isOneOff: Bool = false) -> Command {
    Command(
      connection: ConnectionID(rawValue: connection), principal: isOneOff ? .administrator : nil, action: .put(path, 1))
  }

  private static func write(_ connection: UInt64, _ path: String) -> LargeCommand {
    let command = put(connection, path)
    guard case .write(let operation) = command.action else { fatalError("because put makes a write") }
    return .write(
      LargeWrite(
        command: command, operation: operation, principal: .signedOut, state: state,
        now: Instant(wallMilliseconds: 0, monotonicMilliseconds: 0), limits: EngineLimits()))
  }

  private static func listen(_ connection: UInt64, _ path: String, isHashKnown: Bool = true) -> LargeCommand {
    let command = Command(
      connection: ConnectionID(rawValue: connection), action: .listen(ListenRequest(Path(path), hash: "a")))
    return .comparison(
      LargeComparison(
        command: command, place: HashCache.Place(path: Path(path)), source: .empty, value: .empty, hash: "a",
        compound: nil, sizeBytesMax: 0, isHashKnown: isHashKnown))
  }

  private static func query(_ connection: UInt64, _ path: String, last count: Int) -> LargeCommand {
    let query = Query(order: .value, limit: .last(count))
    let command = Command(
      connection: ConnectionID(rawValue: connection),
      action: .listen(ListenRequest(Path(path), query: query, tag: 1)))
    return .query(
      LargeQuery(
        command: command, path: Path(path), query: query, node: .empty, index: nil, makesIndex: true, isListen: true))
  }

  private static func name(_ command: Command) -> String {
    switch command.action {
    case .write(let operation): "\(command.connection.rawValue) \(operation.path)"
    case .disconnect: "\(command.connection.rawValue) ends"
    case .listen(let request): "\(command.connection.rawValue) listens \(request.path)"
    default: "\(command.connection.rawValue) other"
    }
  }

  @discardableResult
  private func begin(
    _ work: LargeCommand, network: UInt8? = nil, from source: LargeCommandScheduler.Source = .mailbox
  ) -> LargeCommandScheduler.Start {
    let network = network.map { NetworkPrefix(addressBytes: [192, 0, $0, 1]) }
    return queue.begin(work, of: ShareClaimant(network: network), from: source)
  }

  private func admit(_ commands: [Command], from source: LargeCommandScheduler.Source = .mailbox) -> [String] {
    queue.admit(commands[...], from: source) { command, places in
      guard case .write(let operation) = command.action else { return false }
      return operation.change.overlaps(places)
    }.map(Self.name)
  }

  private func takeReleased(_ count: Int = 9) -> [String] {
    let (commands, source) = queue.takeReleased(count)
    return admit(commands, from: source)
  }

  /// Takes the next command for a worker, and completes it at once.
  private func next(_ worker: LargeCommandScheduler.Worker, steps: Int = 0) -> String? {
    guard let command = queue.next(for: worker) else { return nil }
    queue.finish(worker, steps: steps)
    return Self.name(command)
  }

  @Test func `without a large write no command waits`() {
    #expect(admit([Self.put(1, "a"), Self.put(2, "a")]) == ["1 /a", "2 /a"])
    #expect(queue.isIdle)
  }

  @Test func `a large write delays its connection and writers of its location; other commands continue`() {
    begin(Self.write(1, "big"))
    let listen = Command(connection: ConnectionID(rawValue: 2), action: .listen(ListenRequest(Path("big"))))
    #expect(
      admit([
        Self.put(1, "small"), Self.put(2, "small"), listen, Self.put(3, "big/k"), Self.put(3, "other"),
        Self.put(9, "big", isOneOff: true), Self.put(9, "x", isOneOff: true), Self.put(4, ""),
      ]) == ["2 /small", "2 listens /big", "9 /x"])
    #expect(!queue.isIdle && queue.waitingCount == 5)
    queue.finish(.writes)
    #expect(takeReleased(2) == ["3 /big/k", "9 /big"])
    // Commands that arrive meanwhile are queued after those.
    #expect(admit([Self.put(3, "late"), Self.put(2, "late"), Self.put(1, "late")]) == ["2 /late"])
    #expect(takeReleased() == ["4 /"])
    #expect(takeReleased() == ["1 /small", "1 /late", "3 /other", "3 /late"])
    #expect(queue.isIdle)
  }

  @Test func `another large write waits, and its connection's commands keep their order`() {
    begin(Self.write(1, "big"))
    #expect(admit([Self.put(2, "large"), Self.put(2, "a")]) == ["2 /large", "2 /a"])
    // The engine decides the first of them in the background.
    #expect(begin(Self.write(2, "large")) == .later)
    #expect(admit([Self.put(2, "a"), Self.put(3, "b")]) == ["3 /b"])
    queue.finish(.writes)
    #expect(takeReleased() == [])
    let reserved = queue.next(for: .writes).map(Self.name)
    #expect(reserved == "2 /large")
    let isTaken = queue.takeReserved(Self.write(2, "large"))
    #expect(isTaken)
    #expect(admit([Self.put(2, "c"), Self.put(3, "large/x")]) == [])
    queue.finish(.writes)
    #expect(takeReleased() == ["3 /large/x"])
    #expect(takeReleased() == ["2 /a", "2 /c"])
    #expect(queue.isIdle)
  }

  @Test func `commands that waited for a location precede the next large write there`() {
    begin(Self.write(1, "big"))
    begin(Self.write(2, "big"))
    #expect(admit([Self.put(3, "big/k")]) == [])
    queue.finish(.writes)
    #expect(next(.writes) == nil)
    #expect(begin(Self.write(4, "big")) == .later)
    #expect(takeReleased() == ["3 /big/k"])
    #expect(next(.writes) == "2 /big")
  }

  @Test func `a connection that replaces another waits for its end`() {
    queue.hold(ConnectionID(rawValue: 2), until: ConnectionID(rawValue: 1))
    begin(Self.write(1, "big"))
    let end = Command(connection: ConnectionID(rawValue: 1), action: .disconnect)
    #expect(admit([end, Self.put(2, "a"), Self.put(3, "a")]) == ["3 /a"])
    queue.finish(.writes)
    #expect(admit([Self.put(2, "b")]) == [])
    #expect(takeReleased() == ["1 ends", "2 /a", "2 /b"])
    queue.decided([end])
    begin(Self.write(1, "big"))
    #expect(admit([Self.put(2, "c")]) == ["2 /c"])
  }

  @Test func `commands behind a large command of a connection stay in order`() {
    begin(Self.write(1, "big"))
    #expect(admit((0..<6).map { Self.put(1, "a\($0)") }) == [])
    queue.finish(.writes)
    let (commands, source) = queue.takeReleased(4)
    #expect(commands.map(Self.name) == ["1 /a0", "1 /a1", "1 /a2", "1 /a3"])
    // The engine decides the second of them in the background.
    begin(Self.write(1, "a1"))
    #expect(admit(Array(commands[2...]), from: source) == [])
    #expect(admit([Self.put(1, "b")]) == [])
    queue.finish(.writes)
    #expect(takeReleased() + takeReleased() == ["1 /a2", "1 /a3", "1 /a4", "1 /a5", "1 /b"])
    #expect(queue.isIdle)
  }

  @Test func `released commands that are returned are taken again, in order`() {
    begin(Self.write(1, "big"))
    #expect(admit([Self.put(1, "a"), Self.put(1, "b"), Self.put(1, "c"), Self.put(2, "big/k")]) == [])
    queue.finish(.writes)
    var (commands, source) = queue.takeReleased(9)
    #expect(commands.map(Self.name) == ["2 /big/k"])
    queue.putBack(commands[...], from: source)
    #expect(next(.writes) == nil && !queue.isIdle)
    #expect(takeReleased() == ["2 /big/k"])
    (commands, source) = queue.takeReleased(9)
    queue.putBack(commands[1...], from: source)
    #expect(admit([Self.put(1, "d"), Self.put(3, "e")]) == ["3 /e"])
    #expect(takeReleased() == ["1 /b", "1 /c", "1 /d"])
    #expect(queue.isIdle && queue.waitingCount == 0)
  }

  @Test func `the data that a large write read is locked from its second attempt on, and the attempts are bounded`() {
    begin(Self.write(1, "big"))
    #expect(admit([Self.put(2, "gate")]) == ["2 /gate"])
    var places = LocationSet()
    places.insert(Path("gate"))
    let isTriedAgain = queue.retry(.writes, without: places, steps: 0)
    #expect(isTriedAgain)
    #expect(admit([Self.put(2, "gate"), Self.put(3, "big/x"), Self.put(4, "free")]) == ["4 /free"])
    let isTriedForEver = queue.retry(.writes, without: places, steps: 0)
    #expect(!isTriedForEver)
    queue.finish(.writes)
    #expect(takeReleased() == ["2 /gate", "3 /big/x"])
  }

  // MARK: Turns

  @Test func `many sockets of one network share one turn`() {
    begin(Self.write(1, "a"), network: 1)
    for connection in UInt64(2)...9 { begin(Self.write(connection, "a"), network: 1) }
    begin(Self.write(20, "b"), network: 2)
    begin(Self.write(21, "b"), network: 2)
    begin(Self.write(30, "c"))
    queue.finish(.writes, steps: 50_000)
    #expect((0..<3).map { _ in next(.writes, steps: 50_000) } == ["20 /b", "30 /c", "2 /a"])
    #expect((0..<3).map { _ in next(.writes, steps: 50_000) } == ["21 /b", "3 /a", "4 /a"])
  }

  @Test func `the sockets of one network take turns among themselves`() {
    begin(Self.write(1, "a"), network: 1)
    for connection in UInt64(1)...4 { begin(Self.write(connection, "a"), network: 1) }
    queue.finish(.writes, steps: 50_000)
    begin(Self.write(2, "a"), network: 1)
    #expect((0..<5).map { _ in next(.writes, steps: 50_000) } == ["2 /a", "3 /a", "4 /a", "1 /a", "2 /a"])
  }

  @Test func `comparisons delay no large write, and no other connection`() {
    #expect(begin(Self.listen(1, "a")) == .now)
    #expect(begin(Self.listen(2, "a")) == .later)
    #expect(begin(Self.write(3, "a")) == .now)
    #expect(admit([Self.put(1, "x"), Self.put(2, "x"), Self.put(3, "x"), Self.put(4, "x")]) == ["4 /x"])
    queue.finish(.writes)
    #expect(takeReleased() == ["3 /x"])
  }

  @Test func `a listen that would wait for many others is answered without a comparison`() {
    let starts = (UInt64(1)...5).map { begin(Self.listen($0, "a"), network: UInt8($0)) }
    #expect(starts == [.now, .later, .later, .sendsWholeValue, .sendsWholeValue])
    #expect(admit([Self.put(4, "x")]) == ["4 /x"])
  }

  @Test func `queries wait for the worker of comparisons, and do not count in its limit`() {
    #expect(begin(Self.query(1, "a", last: 1)) == .now)
    for connection in UInt64(2)...9 {
      #expect(begin(Self.query(connection, "a", last: Int(connection)), network: UInt8(connection)) == .later)
    }
    // An equal query needs the outcome of the one in progress.
    #expect(begin(Self.query(10, "a", last: 1)) == .later)
    #expect(begin(Self.listen(11, "b"), network: 11) == .later)
    queue.finish(.reads)
    #expect(takeReleased() == ["10 listens /a"])
    #expect(next(.reads) == "2 listens /a")
  }

  @Test func `listens of one location share one hash computation`() {
    #expect(begin(Self.listen(1, "a", isHashKnown: false)) == .now)
    for connection in UInt64(2)...9 { #expect(begin(Self.listen(connection, "a", isHashKnown: false)) == .later) }
    #expect(begin(Self.listen(10, "b", isHashKnown: false)) == .later)
    queue.finish(.reads)
    #expect(takeReleased() == (2...9).map { "\($0) listens /a" })
    // The data has changed meanwhile.
    let starts = (UInt64(2)...5).map { begin(Self.listen($0, "a", isHashKnown: false), from: .unblocked) }
    #expect(starts == [.later, .sendsWholeValue, .sendsWholeValue, .sendsWholeValue])
    #expect(next(.reads) == "10 listens /b")
  }

  // MARK: Bounds

  @Test func `only a connection with many pending commands is asked to stop sending`() {
    begin(Self.write(1, "big"))
    #expect(admit((0..<7).map { Self.put(1, "a\($0)") } + [Self.put(2, "a")]) == ["2 /a"])
    let before = queue.takePausedConnections()
    #expect(before == nil)
    #expect(admit([Self.put(1, "b"), Self.put(3, "a")]) == ["3 /a"])
    let crowd = queue.takePausedConnections()
    #expect(crowd == [ConnectionID(rawValue: 1)])
    queue.finish(.writes)
    _ = takeReleased()
    let after = queue.takePausedConnections()
    #expect(after == [])
    var box = Mailbox(limits: DatabaseLimits())
    box.pausedConnections = [ConnectionID(rawValue: 1)]
    let (isOwnTaken, isOtherTaken) = (
      box.append([Self.put(1, "a")], sizeBytes: 0), box.append([Self.put(2, "a")], sizeBytes: 0)
    )
    #expect(!isOwnTaken && isOtherTaken)
  }
}

@Suite struct PlaceSetTests {
  @Test func `a location covers all locations below it`() {
    var places = LocationSet()
    for path in ["a/b/c", "a/b", "a/b/d", "x"] { places.insert(Path(path)) }
    #expect(Set(places.paths.map(\.description)) == ["/a/b", "/x"])
    for path in ["", "a", "a/b", "a/b/z", "x/y"] { #expect(places.overlaps(Path(path)), "\(path)") }
    for path in ["b", "a/c", "y"] { #expect(!places.overlaps(Path(path)), "\(path)") }
    #expect(!LocationSet().overlaps(.root))
  }

  @Test func `many locations are represented by a few, as deep as possible`() {
    let locations = (0..<6).flatMap { i in (0..<6).map { Location(path: Path("base/\(i)/\($0)/x")) } }
    let all = LocationSet.holding(locations, below: Path("base"), countMax: 36)
    #expect(all.places.paths.count == 36)
    #expect(all.places.overlaps(Path("base/1/1")) && !all.places.overlaps(Path("base/1/1/y")))
    let six = LocationSet.holding(locations, below: Path("base"), countMax: 35)
    #expect(six.depth == 2)
    #expect(Set(six.places.paths.map(\.description)) == Set((0..<6).map { "/base/\($0)" }))
    #expect(LocationSet.holding(locations, below: Path("base"), countMax: 5).places.paths == [Path("base")])
  }

  @Test func `random locations are represented by a few, deepest prefixes`() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<200 {
      let locations = (0..<random.below(12) + 1).map { _ in
        let keys = (0..<random.below(5)).map { _ in random.pick(["a", "b", "c"]) }
        return Location(path: Path("base/" + keys.joined(separator: "/")))
      }
      let countMax = random.below(8) + 1
      let (places, depth) = LocationSet.holding(locations, below: Path("base"), countMax: countMax)
      func prefixes(_ depth: Int) -> Set<Path> { Set(locations.map { $0.path.prefix(depth) }) }
      if locations.count <= countMax {
        #expect(depth == .max)
      } else {
        #expect(prefixes(depth).count <= countMax || depth == 1)
        #expect(depth == DataLimits.depthMax || prefixes(depth + 1).count > countMax)
      }
      var expected = LocationSet()
      for path in prefixes(depth) { expected.insert(path) }
      #expect(Set(places.paths) == Set(expected.paths))
    }
  }
}
