import HearthJournal
import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Synchronization
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Tests of the fairness between connections, measured by the number of other commands that a command waits for.
@Suite struct MailboxTests {
  private func commands(_ connection: UInt64, _ numbers: Range<Int32>, principal: Principal? = nil) -> [Command] {
    numbers.map {
      Command(
        connection: ConnectionID(rawValue: connection), request: $0, principal: principal, action: .unauthenticate)
    }
  }

  private func names(_ commands: [Command]) -> [String] {
    commands.map { "\($0.connection.rawValue).\($0.request ?? -1)" }
  }

  @Test func `a connection with ten thousand commands delays another's by one round at most`() {
    let limits = DatabaseLimits()
    var box = Mailbox(limits: limits)
    _ = box.append(commands(1, 0..<10_000), sizeBytes: 0)
    let first = box.take(limits.engine.batchCommandsMax)
    #expect(first.count == limits.engine.batchCommandsMax)
    _ = box.append(commands(2, 0..<1), sizeBytes: 0)
    let second = box.take(limits.engine.batchCommandsMax)
    let place = names(second).firstIndex(of: "2.0")
    #expect(place.map { $0 <= limits.roundCommandsMax } == true)
    _ = box.append(commands(3, 0..<100), sizeBytes: 0)
    var seen: [String] = []
    while box.count > 0 { seen += names(box.take(1_000)) }
    let others = seen.enumerated().filter { $0.element.hasPrefix("3.") }.map(\.offset)
    #expect(others.count == 100)
    // Four rounds of 32, each shared with the other connection.
    #expect((others.last ?? .max) < 100 + 5 * limits.roundCommandsMax)
  }

  @Test func `commands of light connections are decided in the order of arrival`() {
    var box = Mailbox(limits: DatabaseLimits())
    var expected: [String] = []
    for number in Int32(0)..<20 {
      for connection in [UInt64(3), 1, 2] {
        let new = commands(connection, number..<number + 1)
        expected += names(new)
        let hasRoom1 = box.append(new, sizeBytes: 10)
        #expect(hasRoom1)
      }
    }
    let taken = names(box.take(1_000))
    #expect(taken == expected)
    #expect(box.count == 0 && box.sizeBytes == 0)
  }

  @Test func `one-off requests join the next round, in any number`() {
    var box = Mailbox(limits: DatabaseLimits())
    _ = box.append(commands(1, 0..<1_000), sizeBytes: 0)
    _ = box.append(commands(0, 0..<100, principal: .signedOut), sizeBytes: 0)
    let taken = names(box.take(132))
    #expect(taken.filter { $0.hasPrefix("0.") }.count == 100)
  }

  @Test func `a few large commands weigh as much as many small ones`() {
    var box = Mailbox(limits: DatabaseLimits())
    _ = box.append(commands(1, 0..<10), sizeBytes: 10 << 20)
    _ = box.append(commands(2, 0..<10), sizeBytes: 100)
    let taken = names(box.take(11))
    #expect(taken == ["1.0"] + (0..<10).map { "2.\($0)" })
    #expect(box.sizeBytes == 9 << 20)
  }

  @Test func `a connection that sends too much is paused, and the others are not`() {
    let limits = DatabaseLimits()
    var box = Mailbox(limits: limits)
    let most = Int32(limits.roundCommandsMax * limits.roundsPendingPerConnectionMax)
    let hasRoom2 = box.append(commands(1, 0..<most), sizeBytes: 0)
    #expect(hasRoom2)
    let hasRoom3 = box.append(commands(1, most..<most + 1), sizeBytes: 0)
    #expect(!hasRoom3)
    let hasRoom4 = box.append(commands(2, 0..<1), sizeBytes: 0)
    #expect(hasRoom4)
    _ = box.take(64)
    let hasRoom5 = box.append(commands(1, 0..<1), sizeBytes: 0)
    #expect(hasRoom5)
  }

  @Test func `the commands of a new connection follow the end of the one that it replaces`() {
    var box = Mailbox(limits: DatabaseLimits())
    _ = box.append(commands(1, 0..<500), sizeBytes: 0)
    _ = box.append([Command(connection: ConnectionID(rawValue: 1), request: -9, action: .disconnect)], sizeBytes: 0)
    box.hold(ConnectionID(rawValue: 2), until: ConnectionID(rawValue: 1))
    _ = box.append(commands(2, 0..<3), sizeBytes: 0)
    _ = box.append(commands(3, 0..<1), sizeBytes: 0)
    let all = names(box.take(10_000))
    #expect(all.suffix(4) == ["1.-9", "2.0", "2.1", "2.2"])
    #expect((all.firstIndex(of: "3.0") ?? .max) <= 32)
  }

  @Test(arguments: 0..<6)
  func `no command is lost or doubled, each connection's order is kept, and no wait is longer than a round`(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    var limits = DatabaseLimits()
    limits.roundCommandsMax = 4
    var box = Mailbox(limits: limits)
    var (sent, got): ([UInt64: Int32], [UInt64: Int32]) = ([:], [:])
    /// For each connection with a single waiting command: the number of commands taken since it arrived.
    var waits: [UInt64: Int] = [:]
    var longest = 0
    for _ in 0..<4_000 {
      if random.isOne(in: 2) {
        let connection = UInt64(1 + random.below(6))
        let count = Int32(random.isOne(in: 8) ? random.below(60) : 1)
        let start = sent[connection] ?? 0
        if count == 1, start == got[connection] ?? 0 { waits[connection] = 0 }
        _ = box.append(commands(connection, start..<start + count), sizeBytes: random.below(100))
        sent[connection] = start + count
      } else {
        for command in box.take(random.below(12)) {
          let connection = command.connection.rawValue
          #expect(command.request == got[connection] ?? 0)
          got[connection] = (got[connection] ?? 0) + 1
          if let wait = waits.removeValue(forKey: connection) { longest = max(longest, wait) }
          for other in waits.keys { waits[other, default: 0] += 1 }
        }
      }
    }
    _ = box.take(.max)
    #expect(box.count == 0 && box.sizeBytes == 0)
    // At most the rest of the round, and a share of each other connection in the next round.
    #expect(longest > 0 && longest <= 2 * 6 * limits.roundCommandsMax)
  }

  // MARK: Steps

  /// Takes and charges commands as a database does: each batch is a few commands of one round.
  private func share(_ box: inout Mailbox, commandsPerBatch: Int, until total: Int, steps: (UInt64) -> Int) -> [UInt64:
    Int]
  {
    var (taken, spent): ([UInt64: Int], Int) = ([:], 0)
    while spent < total, box.count > 0 {
      let batch = box.take(commandsPerBatch)
      box.charge(batch.map { ConnectionWork($0.connection, steps: steps($0.connection.rawValue)) })
      for command in batch {
        taken[command.connection.rawValue, default: 0] += steps(command.connection.rawValue)
        spent += steps(command.connection.rawValue)
      }
    }
    return taken
  }

  @Test func `connections with many pending commands leave room to one with few`() {
    var limits = DatabaseLimits()
    limits.commandsPendingMax = 1_000
    var box = Mailbox(limits: limits)
    for connection in UInt64(1)...20 { _ = box.append(commands(connection, 0..<50), sizeBytes: 0) }
    let (much, little) = (
      box.append(commands(1, 50..<51), sizeBytes: 0), box.append(commands(30, 0..<1), sizeBytes: 0)
    )
    #expect(!much && little)
    let more = box.append(commands(30, 1..<100), sizeBytes: 0)
    #expect(!more)
    for connection in UInt64(40)...80 { _ = box.append(commands(connection, 0..<25), sizeBytes: 0) }
    let last = box.append(commands(90, 0..<1), sizeBytes: 0)
    #expect(!last, "twice as many are all there is room for")
  }

  @Test func `connections share steps and not commands`() {
    let limits = DatabaseLimits()
    var box = Mailbox(limits: limits)
    _ = box.append(commands(1, 0..<4_000), sizeBytes: 0)
    _ = box.append(commands(2, 0..<40_000), sizeBytes: 0)
    _ = box.append(commands(3, 0..<40_000), sizeBytes: 0)
    // A command of the first connection costs as much as 500 of each of the others.
    let taken = share(&box, commandsPerBatch: 32, until: 3_000_000) { $0 == 1 ? 50_000 : 100 }
    let (heavy, light) = (taken[1] ?? 0, [taken[2] ?? 0, taken[3] ?? 0])
    for other in light { #expect(heavy <= 3 * other + 32 * 50_000) }
  }

  @Test func `a connection with expensive commands does not wait when it is alone`() {
    var box = Mailbox(limits: DatabaseLimits())
    _ = box.append(commands(1, 0..<200), sizeBytes: 0)
    var batches = 0
    while box.count > 0 {
      let batch = box.take(8)
      box.charge(batch.map { ConnectionWork($0.connection, steps: 1_000_000) })
      #expect(!batch.isEmpty)
      batches += 1
    }
    #expect(batches <= 40)
  }

  @Test func `a quiet connection waits for at most one batch of busy ones`() {
    var box = Mailbox(limits: DatabaseLimits())
    for connection in UInt64(1)...20 { _ = box.append(commands(connection, 0..<500), sizeBytes: 0) }
    _ = share(&box, commandsPerBatch: 4, until: 20 * 500_000) { _ in 50_000 }
    for number in Int32(0)..<20 {
      _ = box.append(commands(30, number..<number + 1), sizeBytes: 0)
      var ahead = 0
      while true {
        let batch = box.take(4)
        box.charge(batch.map { ConnectionWork($0.connection, steps: 50_000) })
        if names(batch).contains("30.\(number)") { break }
        ahead += batch.count
      }
      // At most one batch of each, not a round of 32 commands.
      #expect(ahead <= 80)
    }
  }

  /// Decides commands as a database does: a batch ends with an expensive command, and the rest is returned.
  private func decide(_ box: inout Mailbox, isExpensive: (UInt64) -> Bool) -> [Command] {
    let taken = box.take(1_024)
    let end = taken.firstIndex { isExpensive($0.connection.rawValue) }.map { $0 + 1 } ?? taken.count
    for command in taken[..<end] where isExpensive(command.connection.rawValue) {
      box.charge([ConnectionWork(command.connection, steps: 80_000)])
    }
    guard end < taken.count, !box.putBack(taken[end...], arrivalNanoseconds: 0) else { return Array(taken[..<end]) }
    return taken
  }

  @Test func `a quiet connection waits for one expensive command, however many connections send some`() {
    var box = Mailbox(limits: DatabaseLimits())
    for connection in UInt64(1)...20 { _ = box.append(commands(connection, 0..<50), sizeBytes: 0) }
    while box.count > 900 { _ = decide(&box) { $0 < 30 } }
    for number in Int32(0)..<100 {
      _ = box.append(commands(30, number..<number + 1), sizeBytes: 0)
      var ahead = 0
      while true {
        let decided = names(decide(&box) { $0 < 30 })
        if decided.contains("30.\(number)") { break }
        ahead += decided.count
      }
      #expect(ahead <= 1)
    }
  }

  @Test func `expensive commands are decided although other commands fill the batches`() {
    var box = Mailbox(limits: DatabaseLimits())
    _ = box.append(commands(1, 0..<20), sizeBytes: 0)
    box.charge([ConnectionWork(ConnectionID(rawValue: 1), steps: 2_000)])
    var (number, own) = (Int32(0), 0)
    for _ in 0..<2_000 where own < 20 {
      _ = box.append(commands(2, number..<number + 4), sizeBytes: 0)
      number += 4
      let taken = box.take(1_024)
      for command in taken.prefix(2) where command.connection.rawValue == 1 {
        box.charge([ConnectionWork(command.connection, steps: 80_000)])
      }
      let isReturned = taken.count > 2 && box.putBack(taken[2...], arrivalNanoseconds: 0)
      own += (isReturned ? taken[..<2] : taken[...]).count { $0.connection.rawValue == 1 }
    }
    #expect(own == 20)
  }

  @Test func `one-off requests have no queue of their own, and are charged to no connection`() {
    var box = Mailbox(limits: DatabaseLimits())
    let request = Command(
      connection: ConnectionID(rawValue: 1), request: 1, principal: .administrator, action: .get(.root))
    box.charge([ConnectionWork(WorkPayer(request), steps: 1_000_000)])
    _ = box.append(commands(1, 0..<10) + commands(2, 0..<10), sizeBytes: 0)
    #expect(names(box.take(10)) == (0..<10).map { "1.\($0)" })
  }

  @Test func `commands of connections in debt are not examined in each round`() {
    var limits = DatabaseLimits()
    limits.roundCommandsMax = 4
    var box = Mailbox(limits: limits)
    _ = box.append(commands(1, 0..<1), sizeBytes: 0)
    _ = box.take(1)
    box.charge([ConnectionWork(ConnectionID(rawValue: 1), steps: 100 * limits.roundSteps)])
    _ = box.append(commands(1, 1..<400), sizeBytes: 399 << 10)
    var others: [String] = []
    for number in Int32(0)..<90 {
      _ = box.append(commands(2, number..<number + 1), sizeBytes: 1 << 10)
      others += names(box.take(100))
    }
    #expect(others == (0..<90).map { "2.\($0)" })
    #expect(box.count == 399 && box.sizeBytes == 399 << 10)
    let hasRoom = box.append(commands(1, 400..<401), sizeBytes: 0)
    #expect(hasRoom, "fewer than so many rounds")
    var own: [String] = []
    while box.count > 0 { own += names(box.take(100)) }
    #expect(own == (1..<401).map { "1.\($0)" })
    #expect(box.sizeBytes == 0)
  }

  @Test func `a connection in debt that sends more is paused`() {
    var limits = DatabaseLimits()
    (limits.roundCommandsMax, limits.roundsPendingPerConnectionMax) = (4, 8)
    var box = Mailbox(limits: limits)
    box.charge([ConnectionWork(ConnectionID(rawValue: 1), steps: 1_000 * limits.roundSteps)])
    var asked: Int?
    for number in Int32(0)..<100 where asked == nil {
      let isFirst = box.append(commands(1, number..<number + 1), sizeBytes: 0)
      _ = box.append(commands(2, number..<number + 1), sizeBytes: 0)
      if !isFirst { asked = Int(number) }
      _ = box.take(10)
    }
    #expect(asked.map { $0 <= 34 } == true)
  }

  @Test func `commands that are returned to the mailbox are taken first, in order`() {
    var box = Mailbox(limits: DatabaseLimits())
    _ = box.append(commands(1, 0..<10), sizeBytes: 0)
    let taken = box.take(4)
    let isKept = box.putBack(taken[2...], arrivalNanoseconds: 0)
    #expect(!isKept, "nobody has taken too much")
    box.charge([ConnectionWork(ConnectionID(rawValue: 1), steps: 100_000)])
    let isPutBack = box.putBack(taken[2...], arrivalNanoseconds: 0)
    #expect(isPutBack)
    _ = box.append(commands(2, 0..<2), sizeBytes: 0)
    var all: [String] = []
    while box.count > 0 { all += names(box.take(100)) }
    #expect(all == ["2.0", "2.1"] + (2..<10).map { "1.\($0)" })
  }

  @Test(arguments: 0..<6)
  func `with debts no command is lost or doubled, and each connection's order is kept`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var limits = DatabaseLimits()
    (limits.roundCommandsMax, limits.roundSteps) = (4, 100)
    var box = Mailbox(limits: limits)
    var (sent, got): ([UInt64: Int32], [UInt64: Int32]) = ([:], [:])
    func receive(_ batch: ArraySlice<Command>) {
      for command in batch {
        let connection = command.connection.rawValue
        #expect(command.request == got[connection] ?? 0)
        got[connection] = (got[connection] ?? 0) + 1
      }
    }
    for _ in 0..<4_000 {
      if random.isOne(in: 2) {
        let connection = UInt64(1 + random.below(6))
        let count = Int32(random.isOne(in: 8) ? random.below(60) : 1)
        let start = sent[connection] ?? 0
        _ = box.append(commands(connection, start..<start + count), sizeBytes: random.below(100))
        sent[connection] = start + count
      } else {
        let batch = box.take(random.below(12))
        let kept = random.isOne(in: 3) ? batch.count / 2 : batch.count
        let isPutBack = kept < batch.count && box.putBack(batch[kept...], arrivalNanoseconds: 0)
        receive(isPutBack ? batch[..<kept] : batch[...])
        box.charge(batch[..<kept].map { ConnectionWork($0.connection, steps: random.below(400)) })
      }
    }
    while box.count > 0 { receive(box.take(1_000)[...]) }
    #expect(got == sent.filter { $0.value > 0 })
    #expect(box.sizeBytes >= 0)
  }

  @Test func `a database answers a quiet connection among the first, with a flood before it`() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: "{\"rules\": {\".write\": true}}")
    database.decider.queue.suspend()
    for connection in [UInt64(1), 2] {
      database.submit([Command(connection: ConnectionID(rawValue: connection), request: 0, action: .connect)])
    }
    database.submit(commands(1, 0..<10_000))
    database.submit(commands(2, 0..<1))
    database.decider.queue.resume()
    host.waitUntil { host.lines.count >= 10_003 }
    let places = host.lines.indices.filter { host.lines[$0] == "2 ok" }
    #expect(places.count == 2)
    #expect((places.last ?? .max) <= 40)
    database.close()
  }

  @Test func `the commands of a client's former connection precede those of its next one, in any number`() throws {
    let host = DatabaseHost()
    let database = try host.database(MemoryJournal(), rules: "{\"rules\": {\".write\": true}}")
    let (old, new) = (ConnectionID(rawValue: 1), ConnectionID(rawValue: 2))
    let offline = Command.Action.onDisconnect(
      .put(Location(path: Path("status")), WriteValue(Node(.string("offline")))))
    let online = Command.Action.write(
      WriteOperation(.put(Location(path: Path("status")), WriteValue(Node(.string("online"))))))
    database.decider.queue.suspend()
    database.submit([
      Command(connection: old, action: .connect), Command(connection: old, request: 0, action: offline),
    ])
    database.submit(commands(1, 0..<500))
    database.end(old, before: new)
    database.submit([Command(connection: new, action: .connect), Command(connection: new, request: 1, action: online)])
    database.decider.queue.resume()
    host.waitUntil { host.lines.count >= 502 }
    #expect(host.lines.last == "2 written \"online\"")
    #expect(database.published.root[Path("status")] == Node(.string("online")))
    #expect(database.published.sessions.count == 0)
    database.close()
  }
}
