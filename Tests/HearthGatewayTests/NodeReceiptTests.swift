import HearthAccounts
import HearthTree
import NIOEmbedded
import NIOPosix
import RandomTestKit
import Synchronization
import Testing

@testable import HearthEngine
@testable import HearthGateway
@testable import HearthTransport

/// Tests of receipts about the clients of several nodes.
@Suite struct NodeReceiptTests {
  private let ann = Revocation.user(uid: "ann")

  private func redecision(cut: Int, of round: RevocationProcess, position: Int64 = 7) -> Redecision {
    let cancelled = (0..<cut).map { number in
      Redecision.Cancelled(
        denial: Denial(
          connection: ConnectionID(rawValue: UInt64(number + 1) << 8), request: nil,
          operation: .cancellation(.revocation),
          path: Path("/a/\(number)"), principal: .signedOut, decision: nil),
        uid: "ann", lastPosition: 3)
    }
    return Redecision(
      serial: 1, cause: .revocation, position: position, revocation: round.number,
      instant: HearthEngine.Instant(wallMilliseconds: 900, monotonicMilliseconds: 5_000), connection: nil,
      examinedCount: cut + 1, cancelled: cancelled,
      kept: [
        Redecision.Kept(
          connection: ConnectionID(rawValue: 9 << 8), path: Path("/open"), query: nil, uid: "bob", rule: nil)
      ])
  }

  /// Cancels a number of one connection's listens in each database, on the only loop of a node.
  private func cut(
    _ cuts: [String: Int], by receiptStore: ReceiptStore, in round: RevocationProcess, position: Int64 = 7
  ) throws -> [SentMark] {
    var marks: [SentMark] = []
    for (database, count) in cuts {
      let told = redecision(cut: count, of: round, position: position)
      let part = try #require(receiptStore.open(told, of: database))
      marks += (0..<count).map { SentMark(part.draft, listener: part.first + $0) }
    }
    round.reviewed(endedCount: cuts.count)
    return marks
  }

  /// Waits for the receipts of a revocation, and returns them.
  private func receipts(of number: UInt64, at receiptStore: ReceiptStore) async throws -> [JSON] {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: ReceiptPage.self)
    try await loop.submit {
      receiptStore.wait(ReceiptFilter(revocation: number), seconds: 30, on: loop) { answer.succeed($0) }
    }.get()
    let page = try await answer.futureResult.get()
    #expect(page.isComplete)
    return try page.lines.map { try #require(JSON(parsing: $0)) }
      .sorted { $0["database"]?.string ?? "" < $1["database"]?.string ?? "" }
  }

  private func words(_ receiptStore: ReceiptStore, upTo position: Int64 = 10) throws -> [UInt8] {
    let loop = EmbeddedEventLoop()
    let said = Mutex<[UInt8]?>(nil)
    receiptStore.encodedReport(of: ann, upTo: position, on: loop).whenSuccess { words in said.withLock { $0 = words } }
    loop.advanceTime(by: .milliseconds(receiptStore.limits.nodeTimeoutMilliseconds))
    return try #require(said.withLock { $0 })
  }

  private func text(_ json: JSON?) -> String { json.map { String(decoding: $0.text(), as: UTF8.self) } ?? "" }

  @Test("one receipt per database holds the results of all nodes by name")
  func together() async throws {
    let (a, b, c) = (ReceiptStore(node: "a"), ReceiptStore(node: "b"), ReceiptStore(node: "c"))
    for (receiptStore, cuts) in [(b, ["one": 2, "two": 1]), (c, [:])] {
      let round = receiptStore.begin(ann, event: .revoked, loopCount: 1, followedTo: 10)
      for mark in try cut(cuts, by: receiptStore, in: round, position: 9) { mark.sent() }
    }
    let answers = ["b": try words(b), "c": try words(c)]
    a.collect(from: ReceiptPeers(names: ["b", "c"]) { for (node, words) in answers { $1(node, words) } })
    let round = a.begin(ann, event: .userDisabled, loopCount: 1)
    for mark in try cut(["one": 1], by: a, in: round) { mark.sent() }
    let found = try await receipts(of: round.number, at: a)
    #expect(found.map { text($0["database"]) } == [#""one""#, #""two""#])
    #expect(found.map { text($0["node"]) } == [#""a""#, #""a""#])
    #expect(found.map { $0["cancelled"]?.int } == [3, 1] && found.map { $0["sent"]?.int } == [3, 1])
    #expect(found.map { $0["signedOut"]?.int } == [2, 1] && found.map { $0["kept"]?.int } == [2, 1])
    #expect(found.map { $0["position"]?.int } == [9, 9])
    #expect(found.allSatisfy { $0["isComplete"]?.bool == true && $0["unanswered"]?.array?.isEmpty == true })
    #expect(found.map { $0["nodes"]?.array?.map { $0["name"]?.string } } == [["a", "b", "c"], ["a", "b", "c"]])
    #expect(found.map { $0["nodes"]?.array?.map { $0["cancelled"]?.int } } == [[1, 2, 0], [0, 1, 0]])
    #expect(found[0]["listeners"]?.array?.map { $0["node"]?.string } == ["a", "b", "b"])
    #expect(found[0]["listenersOmitted"]?.int == 0)
    #expect(found[0]["keptListeners"]?.array?.map { $0["node"]?.string } == ["a", "b"])
    #expect(found[0]["keptListeners"]?.array?.map { $0["uid"]?.string } == ["bob", "bob"])
    #expect(text(found[0]["revocation"]).contains("user_disable"))
    for receiptStore in [a, b, c] { receiptStore.close() }
  }

  @Test("a node without a valid response is named, and the receipt is incomplete")
  func silent() async throws {
    let answers: [String: [UInt8]?] = ["b": nil, "c": Array("{}".utf8), "d": Array(#"{"receipts":[]}"#.utf8)]
    let a = ReceiptStore(node: "a")
    a.collect(from: ReceiptPeers(names: ["b", "c", "d"]) { for (node, words) in answers { $1(node, words) } })
    let round = a.begin(ann, event: .userDisabled, loopCount: 1)
    round.reviewed(endedCount: 0)
    let found = try await receipts(of: round.number, at: a)
    #expect(found.count == 1 && found[0]["isComplete"]?.bool == false && found[0]["late"]?.int == 0)
    #expect(found[0]["unanswered"]?.array?.map(\.string) == ["b", "c"])
    #expect(found[0]["nodes"]?.array?.map { $0["name"]?.string } == ["a", "d"])
    a.close()
  }

  @Test("a receipt waits for the nodes, accepts one response of each, and none of an unknown node")
  func heardOnce() async throws {
    let ask = Mutex<ReceiptPeers.ReportHandler?>(nil)
    let a = ReceiptStore(node: "a")
    a.collect(from: ReceiptPeers(names: ["b"]) { _, heard in ask.withLock { $0 = heard } })
    let round = a.begin(ann, event: .userDisabled, loopCount: 1)
    round.reviewed(endedCount: 0)
    #expect(!a.page(ReceiptFilter(revocation: round.number)).isComplete)
    let heard = try #require(ask.withLock { $0 })
    heard("x", nil)
    heard("b", Array(#"{"receipts":[]}"#.utf8))
    heard("b", nil)
    let found = try await receipts(of: round.number, at: a)
    #expect(found[0]["unanswered"]?.array?.isEmpty == true && found[0]["isComplete"]?.bool == true)
    a.close()
  }

  @Test("nodes that never answer do not keep a receipt open forever")
  func never() throws {
    let a = ReceiptStore(node: "a")
    a.collect(from: ReceiptPeers(names: ["b"]) { _, _ in })
    let round = a.begin(ann, event: .userDisabled, loopCount: 1)
    round.reviewed(endedCount: 0)
    a.close()
    let line = try #require(a.page(ReceiptFilter(revocation: round.number)).lines.first)
    #expect(JSON(parsing: line)?["unanswered"]?.array?.map(\.string) == ["b"])
  }

  @Test("the effect of a key's removal is reported by each node itself")
  func ownCauses() throws {
    let a = ReceiptStore(node: "a")
    a.collect(from: ReceiptPeers(names: ["b"]) { _, _ in Issue.record("asked") })
    let round = a.begin(.signingKey(id: "k"), event: .keyRotated, loopCount: 1)
    round.reviewed(endedCount: 0)
    a.close()
    let line = try #require(a.page(ReceiptFilter(revocation: round.number)).lines.first)
    #expect(JSON(parsing: line)?["nodes"] == nil && JSON(parsing: line)?["node"]?.string == "a")
  }

  @Test("a node notifies each cancelled client once, and sends it no later change")
  func once() throws {
    let b = ReceiptStore(node: "b")
    for position in [10, 11] as [Int64] {
      let round = b.begin(ann, event: .revoked, loopCount: 1, followedTo: position)
      for mark in try cut(["one": 1], by: b, in: round) { mark.sent() }
    }
    let counts = try [10, 10, 11].map { position in
      try #require(NodeReceipt.decoded(try words(b, upTo: position), limits: b.limits)).map(\.counts.cancelled)
    }
    #expect(counts == [[1], [], [1]])
    b.close()
  }

  @Test("a node with a client that does not read answers in time, and reports the client as late")
  func late() async throws {
    let (a, b) = (ReceiptStore(node: "a"), ReceiptStore(node: "b"))
    let there = b.begin(ann, event: .revoked, loopCount: 1, followedTo: 10)
    let marks = try cut(["one": 2], by: b, in: there)
    marks[0].sent()
    let answer = try words(b)
    a.collect(from: ReceiptPeers(names: ["b"]) { $1("b", answer) })
    let round = a.begin(ann, event: .userDisabled, loopCount: 1)
    round.reviewed(endedCount: 0)
    let found = try await receipts(of: round.number, at: a)
    #expect(found.count == 1 && found[0]["late"]?.int == 1 && found[0]["sent"]?.int == 1)
    #expect(found[0]["isComplete"]?.bool == false && found[0]["unanswered"]?.array?.isEmpty == true)
    // A revocation that one database has not answered.
    _ = b.begin(ann, event: .revoked, loopCount: 1, followedTo: 11)
    let undecided = try #require(NodeReceipt.decoded(try words(b, upTo: 11), limits: b.limits))
    #expect(undecided.map(\.isComplete) == [false])
    for receiptStore in [a, b] { receiptStore.close() }
    withExtendedLifetime(marks) {}
  }

  @Test("revocations of other nodes are kept for a limited time and number")
  func followedBounds() {
    var limits = ReceiptLimits()
    limits.followedMax = 3
    let microseconds = Mutex<Int64>(5_000_000)
    let b = ReceiptStore(node: "b", limits: limits) {
      ReceiptInstant(wallMilliseconds: 1, monotonicMicroseconds: microseconds.withLock { $0 })
    }
    for position in 1...5 as ClosedRange<Int64> {
      b.begin(ann, event: .revoked, loopCount: 1, followedTo: position).reviewed(endedCount: 0)
    }
    #expect(b.state.withLock { $0.remoteRevocations.count } == 3)
    microseconds.withLock { $0 += limits.followedMilliseconds * 1000 + 1 }
    b.begin(ann, event: .revoked, loopCount: 1, followedTo: 6).reviewed(endedCount: 0)
    #expect(b.state.withLock { $0.remoteRevocations.count } == 1)
    b.close()
  }

  // MARK: Coding

  private func receipt(_ database: String?, sent: Int, listeners: Int = 0) -> Receipt {
    var receipt = Receipt(database: database, cause: .data, position: 4, wallMilliseconds: 1)
    receipt.counts = ReceiptCounts(signedOut: 1, examined: sent, cancelled: sent, sent: sent, gone: 0, late: 0)
    receipt.microseconds = (0..<sent).map { Int64($0) }.reversed()
    receipt.listeners = (0..<listeners).map { number in
      Receipt.Listener(
        connection: ConnectionID(rawValue: UInt64(number)), name: ListenName(path: Path("/a")), uid: "ann",
        lastPosition: 1)
    }
    return receipt
  }

  @Test("a node's response has all counts, and times and listeners as far as there is room")
  func bounds() throws {
    var limits = ReceiptLimits()
    (limits.nodeTimesMax, limits.nodeListenersBytesMax) = (10, 400)
    let bytes = try NodeReceipt.encoded(
      [receipt("one", sent: 1_000, listeners: 100), receipt("two", sent: 3, listeners: 3)], limits: limits)
    let found = try #require(NodeReceipt.decoded(bytes, limits: limits))
    #expect(found.map(\.counts.sent) == [1_000, 3])
    #expect(found.map(\.microseconds) == [[199, 399, 599, 799, 999], [0, 1, 2]])
    #expect((1..<100).contains(found[0].listeners.count) && found[1].listeners.count <= 3)
    let many = (0...limits.nodeReceiptsMax).map { receipt("d\($0)", sent: 0) }
    #expect(throws: NodeReceipt.TooMuch.self) { try NodeReceipt.encoded(many, limits: limits) }
    let largest = (0..<limits.nodeReceiptsMax).map { number in
      receipt(String(repeating: "d", count: 250) + "\(number)", sent: 2_000, listeners: 1_000)
    }
    let most = try NodeReceipt.encoded(largest, limits: .standard)
    #expect(most.count < 1 << 20, "a node's answer has room for it")
    #expect(NodeReceipt.decoded(most, limits: .standard)?.count == largest.count)
  }

  @Test("the bytes of a node's response are decoded or refused")
  func strangers() throws {
    let bytes = try NodeReceipt.encoded(
      [receipt("one", sent: 2, listeners: 1), receipt(nil, sent: 0)], limits: .standard)
    #expect(NodeReceipt.decoded(bytes, limits: .standard)?.count == 2)
    var random = SeededRandom(seed: 3)
    for _ in 0..<20_000 {
      var changed = bytes
      for _ in 0...random.below(3) { changed[random.below(changed.count)] = UInt8(random.below(256)) }
      for receipt in NodeReceipt.decoded(changed, limits: .standard) ?? [] {
        #expect(receipt.counts.kept >= 0 && receipt.microseconds.count <= receipt.counts.sent)
      }
    }
    let good = #""position":1,"signedOut":0,"examined":1,"cancelled":1,"sent":1,"gone":0,"late":0,"isComplete":true"#
    let rest = #","microseconds":[5],"listeners":[{"connection":"1","path":"/a","node":"x","more":1}]"#
    let one = try #require(
      NodeReceipt.decoded(Array(#"{"receipts":[{"database":"d",\#(good)\#(rest)}]}"#.utf8), limits: .standard)?.first)
    #expect(text(one.listeners.first) == #"{"connection":"1","path":"/a"}"#, "nothing but what is known")
    for bad in [
      "\(good)\(rest)".replacing(#""sent":1"#, with: #""sent":2"#), "\(good)\(rest)".replacing("[5]", with: "[5,6]"),
      "\(good)\(rest)".replacing("[5]", with: "[-5]"),
      "\(good)\(rest)".replacing(#""examined":1"#, with: #""examined":0"#),
      "\(good)\(rest)".replacing(#""signedOut":0"#, with: #""signedOut":9000000000000000000"#),
      "\(good)\(rest)".replacing(#""path":"/a""#, with: #""path":1"#),
      "\(good)\(rest)".replacing(#""position":1"#, with: #""position":-1"#),
    ] {
      #expect(NodeReceipt.decoded(Array(#"{"receipts":[{\#(bad)}]}"#.utf8), limits: .standard) == nil, "\(bad)")
    }
  }
}
