import Foundation
import Testing

/// Checks the guide's tables of limits: each row states the scope of the limit, and each limit that clients share has a
/// test in which one client exhausts its share and another still gets its own.
@Suite struct SharedLimitsTests {
  /// The values of the column "whose", as the guide explains them.
  static let words: Set = ["own", "share", "queue", "spare", "server"]

  /// The test of each shared limit.
  static let tests: [String: TestReference] = [
    "EngineLimits.listensMemoryPercentMax": TestReference(
      file: "HearthEngineTests/ListenShareTests",
      name: "a network that has reached its limit of listens leaves another network its share"),
    "EngineLimits.onDisconnectBytesMax": TestReference(
      file: "HearthEngineTests/ListenShareTests",
      name: "a network that has reached its limit of onDisconnect writes leaves another network its share"),
    "ConnectionSlots.filesPercentMax": TestReference(
      file: "HearthTransportTests/ConnectionSlotsTests",
      name: "a network that has reached its limit of connections leaves another network its share"),
    "QuotaLimits.connectionsMax": TestReference(
      file: "HearthGatewayTests/QuotaTests",
      name: "one network with all the connections it can have leaves other networks, and administrators, their share"),
    "QuotaLimits.workPerSecond": TestReference(
      file: "HearthGatewayTests/WorkLedgerTests",
      name: "one network with its whole allowance of work leaves another network's intact"),
    "QuotaLimits.clientsMax": TestReference(
      file: "HearthGatewayTests/QuotaTests",
      name: "one network does not use up the tracked clients"),
    "DeliveryLimits.poolWaitingMax": TestReference(
      file: "HearthGatewayTests/PoolQueueTests",
      name: "the queue is bounded, and one network does not use it up alone"),
    "PollLimits.sessionsMax": TestReference(
      file: "HearthGatewayTests/LongPollLimitTests",
      name: "all networks of a /48 together leave others their half"),
    "MemoryLimits.heldPercentMax": TestReference(
      file: "HearthTransportTests/ClientMemoryTableTests",
      name: "many small holders in one network are disconnected before a large one in another"),
    "MemoryLimits.anonymousPercentMax": TestReference(
      file: "HearthTransportTests/ClientMemoryTableTests",
      name: "many small holders in one network are disconnected before a large one in another"),
    "IdentityRequestLimiter.requestsMax": TestReference(
      file: "HearthServerTests/IdentityRequestLimiterTests",
      name: "a network that has reached its limit of concurrent requests leaves another network its share"),
    "PasswordPool.queueCountMax": TestReference(
      file: "HearthAccountsTests/Passwords/PasswordPoolQueueTests",
      name: "The networks of one /48 leave room in the queue for another"),
    "ForeignTokenLimits.questionsMax": TestReference(
      file: "HearthAccountsTests/ForeignTokens/ForeignTokenTableTests",
      name: "the networks of one /48 leave requests to others"),
    "ForeignTokenLimits.questionsPerVerifierMax": TestReference(
      file: "HearthAccountsTests/ForeignTokens/ForeignTokenTableTests",
      name: "a slow verifier, or one network, leaves capacity to others"),
    "ForeignTokenLimits.waitersMax": TestReference(
      file: "HearthAccountsTests/ForeignTokens/ForeignTokenTableTests",
      name: "the networks of one /48 leave requests to others"),
    "ConcurrencyLimiter.waitingMax": TestReference(
      file: "HearthPluginHostTests/Host/ConcurrencyLimiterTests",
      name: "one network with all its waiting requests leaves another network's intact, and waits behind it"),
    "ConcurrencyLimiter.waitingBytesMax": TestReference(
      file: "HearthPluginHostTests/Host/ConcurrencyLimiterTests",
      name: "one network with all its waiting bytes leaves another network's intact"),
    "TriggerLimits.waitingEventsMax": TestReference(
      file: "HearthOutboxTests/WaitingSharesTests",
      name: "an account whose writes have filled a trigger's queue leaves room for the events of others"),
    "TriggerLimits.waitingBytesMax": TestReference(
      file: "HearthOutboxTests/WaitingSharesTests",
      name: "an account whose large events have filled a trigger's queue leaves room for the events of others"),
    "AccountStoreLimits.codesWaitingMax": TestReference(
      file: "HearthAccountsTests/Throttle/MessageShareTests",
      name: "a /48 has its own number in an hour, far below that of its parts"),
    "LinkLimits.unidentifiedMax": TestReference(
      file: "HearthClusterNodeTests/UnidentifiedConnectionsTests",
      name: "when all slots are taken the oldest of the largest network is replaced"),
  ]

  /// Returns the value of each row by the limit's name.
  private static func words(of text: String) -> [String: String] {
    let rows = text.matches(of: /\| `([A-Za-z]+\.[A-Za-z]+)` \| ([a-z]+) \|/)
    return Dictionary(rows.map { (String($0.output.1), String($0.output.2)) }) { first, _ in first }
  }

  @Test("every row names the clients that can exhaust the limit, in a term of the guide")
  func everyRowHasAWord() throws {
    let text = try Project.text(LimitsGuideTests.guide)
    let words = Self.words(of: text)
    for row in try LimitsGuideTests.rows() {
      let name = "\(row.type).\(row.name)"
      #expect(words[name].map(Self.words.contains) == true, "\(name)")
    }
    for word in Self.words { #expect(text.contains("\n* `\(word)`: "), "\(word) is not explained") }
  }

  @Test("every limit that clients share has a test, and no other limit has one")
  func sharedLimitsAreTested() throws {
    let words = Self.words(of: try Project.text(LimitsGuideTests.guide))
    #expect(Set(words.filter { $0.value == "share" }.keys) == Set(Self.tests.keys))
    for (name, test) in Self.tests { #expect(test.exists, "\(name): \(test.file) \"\(test.name)\"") }
  }
}
