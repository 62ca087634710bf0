extension Attack {
  /// The number of listens on one connection: the most that a server allows.
  static let listenCount = 10_000

  /// Returns listens on that many paths, each with its own rules decision.
  private static func standingListens(below path: String) -> @Sendable (AttackerIdentity) -> [AttackMessage] {
    { _ in (0..<listenCount).map { .listen("\(path)/k\($0)") } }
  }

  private static let shownListens = standingListens(below: "/shown")

  /// Attacks that change a connection's identity while it has the most listens.
  static let identity = [
    Attack(
      name: "auth, the same token, 10,000 listens", setUp: shownListens,
      load: .messages(inFlight: 16) { client, _ in .auth(client.tokens[0]) }),
    Attack(
      name: "auth, two tokens of one user, 10,000 listens", setUp: shownListens,
      load: .messages(inFlight: 16) { client, number in .auth(client.tokens[number % 2]) }),
    Attack(
      name: "auth, two users in turn, 10,000 listens", setUp: shownListens,
      load: .messages(inFlight: 16) { client, number in .auth(client.tokens[number % 2 * 2]) }),
    Attack(
      name: "unauth, 10,000 listens", setUp: shownListens, load: .messages(inFlight: 16) { _, _ in .unauth }),
    Attack(
      name: "auth and unauth in turn, 10,000 listens", setUp: shownListens,
      load: .messages(inFlight: 16) { client, number in
        number.isMultiple(of: 2) ? .unauth : .auth(client.tokens[0])
      }),
    Attack(
      name: "connects with sign-in",
      load: .messages(inFlight: 1, perConnection: 1) { _, _ in .get("/honest/profile") }),
    Attack(
      name: "connections that end with 10,000 listens", setUp: shownListens,
      load: .messages(inFlight: 1, perConnection: 1) { _, _ in .get("/honest/profile") }),
  ]

  /// Attacks with listens and their ends, and with writes that make the server evaluate many listens again or send many
  /// events.
  static let listens = [
    Attack(
      name: "listens and unlistens in turn",
      load: .messages(inFlight: 256) { _, number in
        let path = "/shown/k\(number / 2 % listenCount)"
        return number.isMultiple(of: 2) ? .listen(path) : .unlisten(path)
      }),
    Attack(
      name: "10,000 listens, then 10,000 unlistens",
      load: .messages(inFlight: listenCount) { _, number in
        let path = "/shown/k\(number % listenCount)"
        return number / listenCount % 2 == 0 ? .listen(path) : .unlisten(path)
      }),
    Attack(
      name: "one listen again and again", load: .messages(inFlight: 64) { _, _ in .listen("/hot") }),
    Attack(
      name: "listens of a large place", needsLargePlace: true,
      load: .messages(inFlight: 2) { _, number in number.isMultiple(of: 2) ? .listen("/large") : .unlisten("/large") }),
    Attack(
      name: "listens with a hash, beside writes", needsLargePlace: true,
      load: .messages(inFlight: 3) { client, number in
        switch number % 3 {
        case 0: .put("/large/\(BenchItems.key(client.number))/n", "\(number)")
        case 1: .listen("/large", hash: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
        default: .unlisten("/large")
        }
      }),
    Attack(
      name: "listens with a compound hash of 8,000 ranges", needsLargePlace: true,
      load: .messages(inFlight: 2) { _, number in
        number.isMultiple(of: 2) ? .listen("/large", hash: "A", compoundHash) : .unlisten("/large")
      }),
    Attack(
      name: "queries in orders without an index", needsLargePlace: true,
      load: .messages(inFlight: 4) { _, number in
        let query = ",\"q\":{\"i\":\"f\(number / 2)\",\"l\":1,\"vf\":\"l\"},\"t\":\(number / 2 + 1)"
        return number.isMultiple(of: 2) ? .listen("/large", query) : .unlisten("/large", query)
      }),
    Attack(
      name: "writes below 10,000 queries",
      setUp: { _ in
        (1...listenCount).map { .listen("/hot", ",\"q\":{\"l\":\($0),\"vf\":\"r\"},\"t\":\($0)") }
      },
      load: .messages(inFlight: 4) { client, number in .put("/hot/c\(client.number)", "\(number)") }),
    Attack(
      name: "writes that decide 10,000 listens", setUp: standingListens(below: "/gated"),
      load: .messages(inFlight: 4) { _, number in .put("/gate", "\(number)") }),
  ]

  private static let compoundHash: String = {
    let posts = (0..<8_000).map { "\"\(BenchItems.key($0 * 12))/text\"" }.joined(separator: ",")
    let hashes = Array(repeating: "\"AAAAAAAAAAAAAAAAAAAAAAAAAAA=\"", count: 8_000).joined(separator: ",")
    return ",\"ch\":{\"hs\":[\(hashes),\"\"],\"ps\":[\(posts)]}"
  }()

  /// Attacks with one-off reads.
  static let reads = [
    Attack(
      name: "gets of a large place", needsLargePlace: true, load: .messages(inFlight: 4) { _, _ in .get("/large") }),
    Attack(
      name: "gets of 10,000 children in an indexed order", needsLargePlace: true,
      load: .messages(inFlight: 8) { _, number in
        .get("/large", query: "{\"i\":\"ts\",\"sp\":\(number),\"l\":10000,\"vf\":\"l\"}")
      }),
    Attack(
      name: "gets of one child in the order of priorities", needsLargePlace: true,
      load: .messages(inFlight: 16) { _, number in
        .get("/large", query: "{\"sp\":null,\"sn\":\"\(BenchItems.key(number % 90_000))\",\"l\":1,\"vf\":\"r\"}")
      }),
    Attack(
      name: "answers that are not read", needsLargePlace: true, readsAnswers: false,
      load: .messages(inFlight: 200) { _, _ in .get("/large") }),
  ]
}
