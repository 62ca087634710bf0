import HearthTree
import Testing

@testable import HearthTransport

/// Tests of the choice of clients to disconnect when they make the server hold too much memory, with a simulated clock.
@Suite struct ClientMemoryTableTests {
  private struct Fixture {
    var table: ClientMemoryTable<String>
    var milliseconds: Int64 = 0
    private var lastID: UInt64 = 0
    private(set) var ids: [String: UInt64] = [:]

    init(heldBytesMax: Int, anonymousBytesMax: Int = 1 << 40) {
      var limits = MemoryLimits()
      limits.transferBytesPerSecondMin = 10
      table = ClientMemoryTable(heldBytesMax: heldBytesMax, anonymousBytesMax: anonymousBytesMax, limits: limits)
    }

    mutating func set(
      _ name: String, _ bytes: Int, moved: Int? = nil, isAnonymous: Bool = false, isBeingProcessed: Bool = false,
      from network: NetworkPrefix? = nil
    ) {
      let id = id(name, from: network)
      table.update(
        id,
        .init(
          ownBytes: bytes, movedBytes: moved ?? bytes, isAnonymous: isAnonymous, isBeingProcessed: isBeingProcessed),
        milliseconds: milliseconds)
    }

    mutating func id(_ name: String, from network: NetworkPrefix? = nil) -> UInt64 {
      if let id = ids[name] { return id }
      lastID += 1
      ids[name] = lastID
      table.add(lastID, at: name, from: network, milliseconds: milliseconds)
      return lastID
    }

    mutating func text(_ bytes: Int) -> UInt64 {
      lastID += 1
      table.add(text: lastID, bytes: bytes)
      return lastID
    }

    mutating func victims() -> [String] { table.takeConnectionsToClose(milliseconds: milliseconds).map(\.closer) }
  }

  @Test("within the limit all stay connected")
  func within() {
    var test = Fixture(heldBytesMax: 100)
    for (name, bytes) in [("a", 40), ("b", 0), ("c", 60)] { test.set(name, bytes) }
    #expect(test.table.heldBytes == 100 && test.victims() == [])
  }

  @Test("many small holders in one network are disconnected before a large one in another", arguments: [false, true])
  func networks(isAnonymous: Bool) {
    var test = Fixture(heldBytesMax: 1_000, anonymousBytesMax: isAnonymous ? 1_000 : 1 << 40)
    test.set("large", 300, isAnonymous: isAnonymous, from: NetworkPrefix(addressBytes: [198, 51, 100, 1]))
    for number in 0..<71 {
      // Like an attacker with a whole /24.
      let network = NetworkPrefix(addressBytes: [192, 0, 2, UInt8(number)])
      test.set("small \(number)", 10, isAnonymous: isAnonymous, from: network)
    }
    let victims = test.victims()
    #expect(!victims.isEmpty && victims.allSatisfy { $0.hasPrefix("small") }, "\(victims)")
  }

  @Test("beyond the limit the largest are disconnected, as few as needed, each once; the smaller ones stay")
  func beyond() {
    var test = Fixture(heldBytesMax: 80)
    for (name, bytes) in [("a", 10), ("b", 50), ("c", 15), ("smallest", 6)] { test.set(name, bytes) }
    #expect(test.victims() == ["b"])
    #expect(test.victims() == [], "b is already being disconnected")
    test.set("c", 50)
    #expect(test.table.heldBytes == 116 && test.victims() == [], "without b, the total is within the limit")
    test.set("c", 70)
    #expect(test.victims() == ["c"])
    for name in ["a", "b", "c", "smallest"] { test.table.remove(test.id(name)) }
    #expect(test.table.heldBytes == 0 && test.table.holderCount == 0)
    test.set("b", 79)
    #expect(test.victims() == [])
  }

  @Test("of two large holders the slow one is disconnected, also when it was fast in the beginning")
  func slow() {
    var test = Fixture(heldBytesMax: 1500)
    test.set("stalled", 700)
    for second in 1...60 {
      test.milliseconds = Int64(second) * 1000
      test.set("honest", min(800, 20 * second), moved: 20 * second)
      if second % 10 == 0 { test.set("stalled", 700 + second / 10) }
    }
    test.set("honest", 801, moved: 1201)
    #expect(test.victims() == ["stalled"])
  }

  @Test("of two clients with unsent data the one that still reads is disconnected last")
  func readers() {
    var test = Fixture(heldBytesMax: 1000)
    for second in 1...30 {
      test.milliseconds = Int64(second) * 1000
      test.set("takes", 600, moved: 100 * second)
      test.set("takes nothing", 400, moved: 50)
    }
    test.set("takes", 601, moved: 3000)
    #expect(test.victims() == ["takes nothing"])
  }

  @Test("large bodies without a credential have a limit of their own")
  func anonymous() {
    var test = Fixture(heldBytesMax: 1000, anonymousBytesMax: 100)
    test.set("signed in", 500)
    test.set("x", 60, isAnonymous: true)
    #expect(test.victims() == [])
    test.set("y", 41, isAnonymous: true)
    #expect(test.victims() == ["x"])
    test.table.remove(test.id("x"))
    #expect(test.table.anonymousBytes == 41)
    test.set("y", 0)
    #expect(test.table.anonymousBytes == 0 && test.table.heldBytes == 500)
  }

  @Test("a connection with a request in progress is never disconnected")
  func inProgress() {
    var test = Fixture(heldBytesMax: 100)
    test.set("in progress", 400, isBeingProcessed: true)
    test.set("a", 20)
    #expect(test.victims() == ["a"])
    #expect(test.table.processedBytes == 400)
    test.set("in progress", 0)
    test.table.remove(test.id("a"))
    #expect(test.table.heldBytes == 0 && test.table.processedBytes == 0)
  }

  @Test("a text counts once for all its receivers, and is released with the last of them")
  func texts() {
    var test = Fixture(heldBytesMax: 100)
    let text = test.text(90)
    for name in ["a", "b", "c"] { test.table.hold(text, by: test.id(name)) }
    #expect(test.table.heldBytes == 90 && test.victims() == [])
    test.set("d", 20)
    #expect(Set(test.victims()) == ["a", "b", "c"], "one of them alone would free nothing")
    #expect(test.victims() == [])
    // Another client holds the same text before they are closed.
    test.table.hold(text, by: test.id("e"))
    #expect(test.victims() == ["e"])
    for name in ["a", "b", "c", "e"] { test.table.remove(test.id(name)) }
    test.table.remove(text: text)
    #expect(test.table.heldBytes == 20 && test.victims() == [])
    test.set("d", 0)
    test.set("f", 100)
    #expect(test.table.heldBytes == 100 && test.victims() == [])
  }

  @Test("a text that waits twice for a connection is still held after one release")
  func twice() {
    var test = Fixture(heldBytesMax: 100)
    let text = test.text(60)
    let a = test.id("a")
    test.table.hold(text, by: a)
    test.table.hold(text, by: a)
    test.table.release(text, by: a)
    test.set("b", 50)
    #expect(test.victims() == ["a"], "a still holds the text once")
    test.table.release(text, by: a)
    test.table.remove(a)
    test.table.remove(text: text)
    #expect(test.table.heldBytes == 50)
  }
}
