import HearthEngine
import HearthSystem
import HearthTree
import NIOCore
import Testing

@testable import HearthGateway

/// Tests of clients' quotas of a database, with a simulated clock.
@Suite struct QuotaTests {
  private static let second: Int64 = 1_000_000_000

  private static func quotas(_ text: String) throws -> DatabaseQuotas {
    var quotas = DatabaseQuotas.none
    try quotas.change(try #require(JSON(parsing: text.utf8)))
    return quotas
  }

  // MARK: Rates

  @Test("a bucket holds a second's worth, and fills at its rate", arguments: [1, 7, 1_000, 1_000_000])
  func bucket(rate: Int) {
    var bucket = TokenBucket()
    var now: Int64 = 5 * Self.second
    func takeAll() -> Int {
      var count = 0
      while count <= rate, bucket.take(1, perSecond: rate, at: now) == 0 { count += 1 }
      return count
    }
    #expect(takeAll() == rate)
    let wait = bucket.take(1, perSecond: rate, at: now)
    #expect(wait > 0 && wait <= Self.second)
    now += wait - 1
    #expect(bucket.take(1, perSecond: rate, at: now) > 0, "it is not there before it is said to be")
    now += 1
    #expect(bucket.take(1, perSecond: rate, at: now) == 0)
    now += 3_600 * Self.second
    #expect(bucket.isFull(at: now))
    #expect(takeAll() == rate, "what was not taken is not saved up")
  }

  @Test("a request above a second's allowance is accepted without debt, and paid later")
  func debt() {
    var bucket = TokenBucket()
    #expect(bucket.take(10_000, perSecond: 1_000, at: 0) == 0)
    #expect(bucket.take(1, perSecond: 1_000, at: 0) > 9 * Self.second - 1)
    #expect(bucket.take(1, perSecond: 1_000, at: 9 * Self.second) > 0)
    #expect(bucket.take(1, perSecond: 1_000, at: 9 * Self.second + 1_000_000) == 0)
    #expect(bucket.take(10_000, perSecond: 1_000, at: 9 * Self.second + 1_000_000) > 0)
  }

  @Test(
    "no number makes a bucket overflow, and no debt is endless",
    arguments: [(Int.max, 1), (Int.max, Int.max), (Int.min, 1), (0, 0), (1 << 33, 1)])
  func extremes(count: Int, rate: Int) {
    var bucket = TokenBucket()
    #expect(bucket.take(count, perSecond: rate, at: 0) == 0)
    _ = bucket.take(count, perSecond: rate, at: .max / 4)
    #expect(bucket.take(1, perSecond: 1, at: .max / 4 + 61 * Self.second) == 0)
  }

  @Test("a client's own rate applies before the common one, and to that client alone")
  func clientsApart() throws {
    let allowance = DatabaseAllowance()
    allowance.set(try Self.quotas(#"{"requestsPerSecond":3,"clientRequestsPerSecond":2}"#))
    let (a, b) = (try allowance.enter(as: .user("a"), at: 0).get(), try allowance.enter(as: .user("b"), at: 0).get())
    let (first, second) = (try #require(a.client), try #require(b.client))
    #expect(allowance.take(10, first, at: 0) == nil && allowance.take(10, first, at: 0) == nil)
    for _ in 0..<5 { #expect(allowance.take(10, first, at: 0)?.kind == .clientRequestsPerSecond) }
    #expect(allowance.take(10, second, at: 0) == nil, "what was refused took nothing of what all have")
    #expect(allowance.take(10, second, at: 0)?.kind == .requestsPerSecond)
    #expect(allowance.take(10, first, at: Self.second) == nil)
    allowance.set(.none)
    for _ in 0..<100 { #expect(allowance.take(10, first, at: Self.second) == nil) }
    allowance.set(try Self.quotas(#"{"clientBytesPerSecond":100}"#))
    #expect(allowance.take(100, first, at: 9 * Self.second) == nil, "what is set counts from then on")
    #expect(allowance.take(1, first, at: 9 * Self.second)?.kind == .clientBytesPerSecond)
  }

  @Test("the number of tracked clients is bounded, and idle ones are dropped")
  func boundedClients() throws {
    var limits = QuotaLimits()
    limits.clientsMax = 8
    let allowance = DatabaseAllowance(limits: limits)
    allowance.set(try Self.quotas(#"{"clientRequestsPerSecond":1,"clientConnections":3}"#))
    var entries: [DatabaseAllowance.Entry] = []
    for number in 0..<11 { entries.append(try allowance.enter(as: .user("\(number)"), at: 0).get()) }
    #expect(allowance.clientCount == 9, "eight, and the others")
    #expect(throws: QuotaRefusal.self) { try allowance.enter(as: .user("more"), at: 0).get() }
    for index in entries.indices { allowance.leave(&entries[index]) }
    #expect(allowance.connectionCount == 0)
    _ = try allowance.enter(as: .user("more"), at: 10 * Self.second).get()
    #expect(allowance.clientCount == 1)
  }

  // MARK: Connections

  @Test("a database has a limit of connections, and closed ones are released")
  func slots() throws {
    var limits = QuotaLimits()
    limits.connectionsMax = 2
    let registry = QuotaRegistry(limits: limits)
    func slot(_ database: String, _ client: QuotaClientName? = .user("u")) -> QuotaSlot? {
      try? registry.takeSlot(in: database, of: client).get()
    }
    var slots = [slot("a"), slot("a", nil)]
    #expect(slots.allSatisfy { $0 != nil } && slot("a") == nil)
    #expect(slot("b") != nil, "another database's are not counted")
    slots.removeLast()
    #expect(registry.connectionCount(of: "a") == 1)
    registry.set(try Self.quotas(#"{"connections":1}"#), of: "a")
    #expect(slot("a") == nil && registry.connectionCount(of: "a") == 1, "those that are there stay")
    registry.set(try Self.quotas(#"{"connections":5,"clientConnections":1}"#), of: "a")
    #expect(slot("a") == nil && slot("a", .user("v")) != nil && slot("a", nil) != nil)
    slots = []
    #expect(registry.connectionCount(of: "a") == 0)
  }

  @Test("one network with all the connections it can have leaves other networks, and administrators, their share")
  func connectionShares() throws {
    var limits = QuotaLimits()
    limits.connectionsMax = 4_000
    let registry = QuotaRegistry(limits: limits)
    func slots(_ third: Int, max: Int = 5_000, name: QuotaClientName? = nil) -> [QuotaSlot] {
      var slots: [QuotaSlot] = []
      while slots.count < max {
        let address = "10.0.\(third).\(slots.count % 250)"
        let client = name ?? QuotaClientName(uid: nil, address: address)
        guard let slot = try? registry.takeSlot(in: "a", of: client, from: NetworkPrefix(address: address)).get() else {
          break
        }
        slots.append(slot)
      }
      return slots
    }
    let hogs = slots(1)
    #expect(hogs.count == 3_500)
    let others = (2...9).map { slots($0, max: 5) }
    #expect(others.allSatisfy { $0.count == 5 })
    let administrator = try? registry.takeSlot(in: "a", of: nil, from: NetworkPrefix(address: "10.0.1.1")).get()
    #expect(administrator != nil)
    withExtendedLifetime((hogs, others, administrator)) {}
  }

  @Test("one network does not use up the tracked clients")
  func clientShares() throws {
    var limits = QuotaLimits()
    limits.clientsMax = 800
    let allowance = DatabaseAllowance(limits: limits)
    allowance.set(try Self.quotas(#"{"clientRequestsPerSecond":1}"#))
    func entry(_ name: String, _ address: String) throws -> DatabaseAllowance.Entry {
      try allowance.enter(as: .user(name), from: NetworkPrefix(address: address), at: 0).get()
    }
    var hogs: [DatabaseAllowance.Entry] = []
    for number in 0..<1_000 { hogs.append(try entry("hog \(number)", "2001:db8:1:\(number)::1")) }
    #expect(hogs.last?.client?.name == .others)
    var entries = hogs + [try entry("ann", "198.51.100.1"), try entry("bob", "198.51.100.2")]
    #expect(entries.suffix(2).map { $0.client?.name } == [.user("ann"), .user("bob")])
    for index in entries.indices { allowance.leave(&entries[index]) }
    #expect(allowance.connectionCount == 0)
  }

  @Test("a client that signs in has a new allowance, and an administrator has none")
  func signingIn() throws {
    let registry = QuotaRegistry()
    registry.set(try Self.quotas(#"{"clientConnections":1,"clientBytesPerSecond":1}"#), of: "a")
    let network = QuotaClientName(uid: nil, address: "192.0.2.1")
    let first = try registry.takeSlot(in: "a", of: network).get()
    #expect((try? registry.takeSlot(in: "a", of: network).get()) == nil)
    let user = Principal(auth: .object([.init("uid", .string("u"))]))
    #expect(first.identify(user, address: "192.0.2.1") == nil)
    let second = try registry.takeSlot(in: "a", of: network).get()
    #expect(second.identify(user, address: "192.0.2.1")?.kind == .clientConnections)
    // The first client has a debt of a minute.
    #expect(second.refusal(ofMessage: 1_000) == nil)
    #expect(second.refusal(ofMessage: 1_000)?.kind == .clientBytesPerSecond, "it is still the network's")
    #expect(second.identify(.administrator, address: "192.0.2.1") == nil)
    for _ in 0..<10 { #expect(second.refusal(ofMessage: 1_000) == nil) }
    withExtendedLifetime((first, second)) {
      #expect(first.identify(.signedOut, address: "192.0.2.1") == nil)
      #expect(registry.connectionCount(of: "a") == 2)
    }
  }

  // MARK: Stored and returned settings

  @Test("data over the limit on stored bytes is refused until the data or the limit changes")
  func storage() throws {
    let allowance = DatabaseAllowance()
    let text = Node(.string(String(repeating: "x", count: 4_000)))
    allowance.review(text)
    #expect(allowance.storageRefusal == nil)
    allowance.set(try Self.quotas(#"{"storedBytes":1000}"#))
    allowance.review(text)
    #expect(allowance.storageRefusal == QuotaRefusal(.storedBytes, 1_000))
    allowance.review(.empty)
    #expect(allowance.storageRefusal == nil)
    allowance.review(text)
    #expect(allowance.storageRefusal != nil)
    allowance.set(try Self.quotas(#"{"storedBytes":100000}"#))
    allowance.review(text)
    #expect(allowance.storageRefusal == nil)
    allowance.set(try Self.quotas(#"{"storedBytes":10}"#))
    allowance.review(text)
    allowance.set(.none)
    #expect(allowance.storageRefusal == nil)
  }

  @Test("a removal adds no data, and server values do")
  func bringsData() throws {
    func brings(_ text: String) throws -> Bool {
      try RESTBody.value(ByteBuffer(string: text), for: Location(path: .root)).addsData
    }
    #expect(try !brings("null") && !brings("{}") && !brings(#"{"a":null}"#))
    #expect(
      try brings("0") && brings("false") && brings(#"{".sv":"timestamp"}"#) && brings(#"{"a":{".sv":{"increment":1}}}"#)
    )
  }

  // MARK: Texts

  @Test("quotas are stored as set, and invalid ones have no effect")
  func texts() throws {
    var quotas = try Self.quotas(#"{"connections":5,"storedBytes":1099511627776}"#)
    #expect(DatabaseQuotas(stored: quotas.json) == quotas)
    #expect(quotas.json.text() == Array(#"{"connections":5,"storedBytes":1099511627776}"#.utf8))
    let wrong = [
      #"{"connections":0}"#, #"{"connections":-1}"#, #"{"connections":1.5}"#, #"{"connections":"5"}"#,
      #"{"sockets":1}"#,
      #"{"answerBytes":1000}"#, #"{"requestsPerSecond":9223372036854775807}"#, "[]", "5", #"{"storedBytes":1,"x":2}"#,
    ]
    for text in wrong {
      let before = quotas
      #expect(throws: RESTFailure.self, "\(text)") { try quotas.change(try #require(JSON(parsing: text.utf8))) }
      #expect(quotas == before)
    }
    try quotas.change(try #require(JSON(parsing: #"{"connections":null,"answerBytes":262144}"#.utf8)))
    #expect(quotas[.connections] == nil && quotas[.storedBytes] == 1 << 40 && quotas[.answerBytes] == 1 << 18)
    var settings = DatabaseSettings()
    #expect(!String(decoding: settings.text, as: UTF8.self).contains("quotas"), "as earlier versions wrote it")
    settings.quotas = quotas
    #expect(DatabaseSettings(parsing: settings.text)?.quotas == quotas)
  }

  @Test("every refusal names its quota, fits into a WebSocket close reason, and says when to retry")
  func refusals() {
    for kind in QuotaKind.allCases {
      let refusal = QuotaRefusal(kind, kind.range.upperBound, waitNanoseconds: 2_500_000_000)
      #expect(refusal.text.utf8.count <= 123 && refusal.text.contains("(\(kind.rawValue))"))
      #expect(refusal.text.contains("\(kind.range.upperBound)") && !refusal.text.contains("%"))
      #expect(refusal.pauseMilliseconds == 1_000)
    }
    #expect(
      RESTFailure(QuotaRefusal(.clientRequestsPerSecond, 1, waitNanoseconds: 2_500_000_000)).retryAfterSeconds == 3)
    #expect(RESTFailure(QuotaRefusal(.requestsPerSecond, 1)).status == 429)
    #expect(RESTFailure(QuotaRefusal(.requestsPerSecond, 1)).readPauseMilliseconds == 100)
    #expect(RESTFailure(QuotaRefusal(.storedBytes, 1)).readPauseMilliseconds == 0)
    #expect(RESTFailure(QuotaRefusal(.connections, 1)).status == 503)
    #expect(RESTFailure(QuotaRefusal(.storedBytes, 1)).status == 507)
    #expect(RESTFailure(QuotaRefusal(.answerBytes, 1)) == .tooBig)
  }

  @Test("a client over its rate is not read for a time that limits the cost of refusals, on any number of sockets")
  func holds() throws {
    func hold(_ milliseconds: Int64, _ connections: Int) -> Int64 {
      var refusal = QuotaRefusal(.requestsPerSecond, 1, waitNanoseconds: milliseconds * 1_000_000)
      refusal.connectionCount = connections
      return refusal.pauseMilliseconds
    }
    #expect(hold(0, 0) == 100 && hold(2, 16) == 100 && hold(250, 16) == 251)
    #expect(hold(2, 400) == 400 && hold(2, 100_000) == 1_000 && hold(60_000, 1) == 1_000 && hold(0, .max) == 1_000)
    let allowance = DatabaseAllowance()
    allowance.set(try Self.quotas(#"{"requestsPerSecond":1000,"clientRequestsPerSecond":1}"#))
    var clients: [QuotaClient] = []
    for _ in 0..<300 { clients.append(try #require(try allowance.enter(as: .user("u"), at: 0).get().client)) }
    #expect(allowance.take(1, clients[0], at: 0) == nil)
    #expect(allowance.take(1, clients[1], at: 0)?.connectionCount == 300)
  }
}
