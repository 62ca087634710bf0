import HearthAccounts
import HearthRules
import HearthTree
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import HearthEngine
@testable import HearthGateway
@testable import HearthTransport

/// Tests of receipts made from the reports of databases and loops, with a simulated clock.
@Suite struct ReceiptStoreTests {
  /// A clock in microseconds that only the test advances.
  private final class Clock: Sendable {
    private let microseconds = Mutex<Int64>(5_000_000)
    var now: ReceiptInstant {
      ReceiptInstant(wallMilliseconds: 1_000, monotonicMicroseconds: microseconds.withLock { $0 })
    }
    func advance(_ count: Int64) { microseconds.withLock { $0 += count } }
  }

  private let clock = Clock()

  private func receiptStore(_ limits: ReceiptLimits = .standard) -> ReceiptStore {
    ReceiptStore(limits: limits) { [clock] in clock.now }
  }

  private func redecision(
    _ cause: Cancellation, cut: Int = 0, examined: Int? = nil, revocation: UInt64? = nil, position: Int64 = 7
  ) -> Redecision {
    let cancelled = (0..<cut).map { number in
      Redecision.Cancelled(
        denial: Denial(
          connection: ConnectionID(rawValue: UInt64(number + 1) << 8), request: nil, operation: .cancellation(cause),
          path: Path("/a/\(number)"), principal: .signedOut, decision: nil),
        uid: "u\(number)", lastPosition: 3)
    }
    return Redecision(
      serial: 1, cause: cause, position: position, revocation: revocation,
      instant: HearthEngine.Instant(wallMilliseconds: 900, monotonicMilliseconds: 5_000), connection: nil,
      examinedCount: examined ?? cut, cancelled: cancelled)
  }

  /// Returns the stored receipts after all pending ones were written.
  private func kept(_ receiptStore: ReceiptStore, _ filter: ReceiptFilter = ReceiptFilter()) throws -> [JSON] {
    receiptStore.close()
    return try receiptStore.page(filter).lines.map { try #require(JSON(parsing: $0)) }
  }

  private func marks(_ taken: ReceiptPart, _ count: Int) -> [SentMark] {
    (0..<count).map { SentMark(taken.draft, listener: taken.first + $0) }
  }

  @Test("a receipt is closed by its last cancellation, and has the duration of each")
  func distribution() throws {
    let receiptStore = receiptStore()
    let taken = try #require(receiptStore.open(redecision(.data(position: 7), cut: 100, examined: 130), of: "one"))
    for mark in marks(taken, 100) {
      clock.advance(10)
      mark.sent()
      mark.sent()
    }
    let receipt = try #require(try kept(receiptStore).first)
    #expect(receipt["cause"]?.string == "write" && receipt["database"]?.string == "one")
    #expect(receipt["position"]?.int == 7 && receipt["time"]?.int == 900)
    #expect(receipt["examined"]?.int == 130 && receipt["kept"]?.int == 30 && receipt["cancelled"]?.int == 100)
    #expect(receipt["sent"]?.int == 100 && receipt["gone"]?.int == 0 && receipt["late"]?.int == 0)
    let times = String(decoding: try #require(receipt["milliseconds"]).text(), as: UTF8.self)
    #expect(times == #"{"p50":0.5,"p99":0.99,"max":1}"#)
    let second = String(decoding: try #require(receipt["listeners"]?.array?[1]).text(), as: UTF8.self)
    #expect(second == #"{"connection":"200","path":"/a/1","uid":"u1","lastPosition":3,"milliseconds":0.02}"#)
    #expect(receipt["isComplete"]?.bool == true)
  }

  @Test("a connection that ends before its cancellation is written is counted as gone")
  func gone() throws {
    let receiptStore = receiptStore()
    let taken = try #require(receiptStore.open(redecision(.rules(position: 7), cut: 3), of: "one"))
    var marks: [SentMark]? = marks(taken, 3)
    marks?[1].sent()
    #expect(receiptStore.page(ReceiptFilter()).lines.isEmpty, "two are still on their way")
    marks = nil
    let receipt = try #require(try kept(receiptStore).first)
    #expect(receipt["sent"]?.int == 1 && receipt["gone"]?.int == 2 && receipt["isComplete"]?.bool == true)
    #expect(receipt["listeners"]?.array?.map { $0["outcome"]?.string } == ["gone", nil, "gone"])
  }

  @Test("a receipt that takes too long is closed as incomplete and does not change")
  func late() throws {
    let receiptStore = receiptStore()
    let taken = try #require(receiptStore.open(redecision(.data(position: 7), cut: 2), of: "one"))
    let marks = marks(taken, 2)
    marks[0].sent()
    clock.advance(receiptStore.limits.openMilliseconds * 1000 - 1)
    receiptStore.sweep()
    clock.advance(1)
    receiptStore.sweep()
    marks[1].sent()
    let receipts = try kept(receiptStore)
    #expect(receipts.count == 1)
    #expect(receipts[0]["isComplete"]?.bool == false && receipts[0]["late"]?.int == 1 && receipts[0]["sent"]?.int == 1)
  }

  @Test("the list of listeners is limited, and their count is not")
  func bounds() throws {
    var limits = ReceiptLimits()
    limits.listenersMax = 5
    let receiptStore = receiptStore(limits)
    let taken = try #require(receiptStore.open(redecision(.data(position: 7), cut: 12), of: "one"))
    for mark in marks(taken, 12) { mark.sent() }
    let receipt = try #require(try kept(receiptStore).first)
    #expect(receipt["cancelled"]?.int == 12 && receipt["sent"]?.int == 12)
    #expect(receipt["listeners"]?.array?.count == 5 && receipt["listenersOmitted"]?.int == 7)
  }

  @Test("listeners that kept their listens are listed with their rule, up to a limit")
  func keptListeners() throws {
    var limits = ReceiptLimits()
    limits.keptMax = 3
    let receiptStore = receiptStore(limits)
    let rules = try RuleSet.compile(#"{"rules":{"a":{".read":"auth == null"}}}"#)
    let decision = rules.decide(
      .read(ReadRequest(path: Path("/a/1"), root: .empty, auth: nil, nowMilliseconds: 0)))
    var told = redecision(.rules(position: 7), cut: 0, examined: 5)
    for number in 0..<5 {
      let uid: String? = number == 0 ? nil : "u\(number)"
      let query: Query? = number == 1 ? Query(order: .key, limit: .first(2)) : nil
      told.kept.append(
        Redecision.Kept(
          connection: ConnectionID(rawValue: UInt64(number + 1) << 8), path: Path("/a/\(number)"), query: query,
          uid: uid,
          rule: number == 0 ? nil : decision.rule))
    }
    _ = try #require(receiptStore.open(told, of: "one"))
    let receipt = try #require(try kept(receiptStore).first)
    let texts = try #require(receipt["keptListeners"]?.array).map { String(decoding: $0.text(), as: UTF8.self) }
    let rule = #""rule":{"kind":"read","path":"/a","line":1,"column":25}"#
    #expect(texts.count == 3 && receipt["kept"]?.int == 5)
    #expect(texts.first == #"{"connection":"100","path":"/a/0"}"#)
    #expect(texts.last == #"{"connection":"300","path":"/a/2","uid":"u2",\#(rule)}"#)
    #expect(texts.dropFirst().first?.contains(#""query":{"#) == true)
  }

  @Test("a sign-in that cancels no listen makes no receipt; the end of a credential does")
  func newsworthy() {
    let receiptStore = receiptStore()
    #expect(receiptStore.open(redecision(.identity, cut: 0, examined: 4), of: "one") == nil)
    #expect(receiptStore.open(redecision(.identity, cut: 1, examined: 4), of: "one") != nil)
    #expect(receiptStore.open(redecision(.expiry, cut: 0, examined: 4), of: "one") != nil)
  }

  @Test("the number of open receipts is limited; further ones are left out")
  func openBound() {
    var limits = ReceiptLimits()
    limits.openMax = 3
    let receiptStore = receiptStore(limits)
    let taken = (0..<5).map { _ in receiptStore.open(redecision(.data(position: 7), cut: 1), of: "one") }
    #expect(taken.map { $0 != nil } == [true, true, true, false, false])
    #expect(receiptStore.state.withLock { $0.omittedCount } == 2)
  }

  // MARK: Revocations

  @Test("a revocation has a receipt for each database, complete when every connection was decided, in any order")
  func revocation() throws {
    for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]] {
      let receiptStore = receiptStore()
      let round = receiptStore.begin(.user(uid: "ann"), event: .userDisabled, loopCount: 2)
      let filter = ReceiptFilter(revocation: round.number)
      var held: [SentMark] = []
      for step in order {
        #expect(!receiptStore.page(filter).isComplete)
        switch step {
        case 0: round.reviewed(endedCount: 2)
        case 1: round.reviewed(endedCount: 1)
        default:
          // Two cancels in one database, the second without a listen; one in another database.
          let database = step == 4 ? "two" : "one"
          let cut = step == 3 ? 0 : 2
          let told = redecision(.revocation, cut: cut, revocation: round.number, position: Int64(step))
          let taken = try #require(receiptStore.open(told, of: database))
          held += marks(taken, cut)
        }
      }
      #expect(!receiptStore.page(filter).isComplete, "nobody has been told yet")
      for mark in held { mark.sent() }
      let receipts = try kept(receiptStore, filter).sorted {
        $0["database"]?.string ?? "" < $1["database"]?.string ?? ""
      }
      #expect(receipts.map { $0["database"]?.string } == ["one", "two"])
      #expect(receipts.map { $0["signedOut"]?.int } == [2, 1])
      #expect(receipts.map { $0["cancelled"]?.int } == [2, 2])
      #expect(receipts.map { $0["position"]?.int } == [3, 4])
      let whom = String(decoding: try #require(receipts[0]["revocation"]).text(), as: UTF8.self)
      #expect(whom == #"{"number":\#(round.number),"event":"user_disable","kind":"user","uid":"ann"}"#)
      #expect(receiptStore.page(filter).isComplete)
    }
  }

  @Test("a revocation without affected connections is complete at once, with one receipt")
  func withoutConnections() throws {
    let receiptStore = receiptStore()
    let round = receiptStore.begin(.signingKey(id: "k1"), event: .keyRotated, loopCount: 3)
    for _ in 0..<3 { round.reviewed(endedCount: 0) }
    let receipts = try kept(receiptStore)
    #expect(receipts.count == 1 && receipts[0]["signedOut"]?.int == 0)
    #expect(receipts[0]["revocation"]?["key"]?.string == "k1" && receipts[0]["isComplete"]?.bool == true)
  }

  @Test("a database that does not answer leaves a receipt that says so")
  func halted() throws {
    let receiptStore = receiptStore()
    let round = receiptStore.begin(.legacySecret, event: .keyRotated, loopCount: 1)
    round.reviewed(endedCount: 2)
    let taken = try #require(receiptStore.open(redecision(.revocation, cut: 1, revocation: round.number), of: "one"))
    for mark in marks(taken, 1) { mark.sent() }
    clock.advance(receiptStore.limits.openMilliseconds * 1000)
    receiptStore.sweep()
    #expect(receiptStore.open(redecision(.revocation, cut: 1, revocation: round.number), of: "one") == nil, "too late")
    let receipts = try kept(receiptStore)
    #expect(receipts.count == 1 && receipts[0]["isComplete"]?.bool == false && receipts[0]["sent"]?.int == 1)
    #expect(receiptStore.page(ReceiptFilter(revocation: round.number)).isComplete, "nothing more will come")
  }

  @Test("a completed revocation leaves only its receipts")
  func leftovers() throws {
    let receiptStore = receiptStore()
    weak var left: RevocationProcess?
    do {
      let round = receiptStore.begin(.user(uid: "ann"), event: .userDisabled, loopCount: 1)
      round.reviewed(endedCount: 1)
      let taken = try #require(receiptStore.open(redecision(.revocation, cut: 1, revocation: round.number), of: "one"))
      for mark in marks(taken, 1) { mark.sent() }
      left = round
    }
    #expect(try kept(receiptStore).count == 1)
    #expect(left == nil)
  }

  // MARK: Requests

  @Test("a request for later receipts is answered by the next one of its database")
  func waiting() async throws {
    let receiptStore = receiptStore()
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: ReceiptPage.self)
    try await loop.submit {
      receiptStore.wait(ReceiptFilter(after: 0, database: "two"), seconds: 30, on: loop) { answer.succeed($0) }
    }.get()
    for name in ["one", "two"] {
      let taken = try #require(receiptStore.open(redecision(.data(position: 7), cut: 1), of: name))
      for mark in marks(taken, 1) { mark.sent() }
    }
    let page = try await answer.futureResult.get()
    #expect(page.lines.count == 1 && page.lastID == 2)
    receiptStore.close()
  }

  @Test("a wait that times out is answered with no receipt and removed")
  func timeout() {
    let receiptStore = receiptStore()
    let loop = EmbeddedEventLoop()
    var answers: [Int] = []
    receiptStore.wait(ReceiptFilter(after: 0), seconds: 9, on: loop) { answers.append($0.lines.count) }
    loop.advanceTime(by: .seconds(8))
    #expect(answers.isEmpty)
    loop.advanceTime(by: .seconds(1))
    #expect(answers == [0])
    #expect(receiptStore.state.withLock { $0.waiters.isEmpty })
  }

  @Test("surplus waiters are answered at once")
  func manyWaiters() {
    var limits = ReceiptLimits()
    limits.waitersMax = 2
    let receiptStore = receiptStore(limits)
    let loop = EmbeddedEventLoop()
    var count = 0
    for _ in 0..<5 { receiptStore.wait(ReceiptFilter(after: 0), seconds: 9, on: loop) { _ in count += 1 } }
    loop.run()
    #expect(count == 3)
    receiptStore.close()
    loop.run()
    #expect(count == 5)
  }

  @Test("the newest receipts are kept, within a limit of number and size")
  func ring() {
    var limits = ReceiptLimits()
    limits.ringMax = 10
    limits.ringBytesMax = 1_000
    var ring = ReceiptRing()
    for id in 1...30 {
      ring.append(.init(id: UInt64(id), database: "d", revocation: nil, line: [1, 2, 3]), limits: limits)
    }
    #expect(ring.page(ReceiptFilter()).map(\.id) == Array(21...30))
    #expect(ring.page(ReceiptFilter(limit: 2)).map(\.id) == [29, 30])
    #expect(ring.page(ReceiptFilter(after: 25, limit: 2)).map(\.id) == [26, 27])
    ring.append(.init(id: 31, line: [UInt8](repeating: 1, count: 5_000)), limits: limits)
    #expect(ring.page(ReceiptFilter()).map(\.id) == [31])
  }
}
