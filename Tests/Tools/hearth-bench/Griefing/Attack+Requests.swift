extension Attack {
  /// Attacks with HTTP requests to the database.
  static let rest = [
    Attack(
      name: "REST, reads of a large place", needsLargePlace: true,
      load: .requests(connections: 2) { client, _, _ in get(client, "large", "print=pretty") }),
    Attack(
      name: "REST, one child in the order of priorities", needsLargePlace: true,
      load: .requests(connections: 4) { client, _, number in
        get(
          client, "large", "orderBy=%22$priority%22&limitToLast=1&endAt=null,%22\(BenchItems.key(number % 90_000))%22")
      }),
    Attack(
      name: "REST, 10,000 children in an indexed order", needsLargePlace: true,
      load: .requests(connections: 4) { client, _, number in
        get(client, "large", "orderBy=%22ts%22&limitToFirst=10000&startAt=\(number)")
      }),
    Attack(
      name: "REST, filters on an order without an index", needsLargePlace: true,
      load: .requests(connections: 4) { client, _, number in
        get(client, "large", "orderBy=%22f\(number)%22&limitToFirst=1")
      }),
    Attack(
      name: "REST, shallow reads of a large place", needsLargePlace: true,
      load: .requests(connections: 4) { client, _, _ in get(client, "large", "shallow=true") }),
    Attack(
      name: "REST, If-None-Match beside writes", needsLargePlace: true,
      load: .requests(connections: 4) { client, connection, number in
        connection == 0
          ? put(client, "large/\(BenchItems.key(client.number))/n", "\(number)")
          : get(client, "large", "shallow=true", ["If-None-Match": "AAAAAAAAAAAAAAAAAAAAAAAAAAA="])
      }),
    Attack(
      name: "REST, If-Match beside writes", needsLargePlace: true,
      load: .requests(connections: 4) { client, connection, number in
        connection == 0
          ? put(client, "large/\(BenchItems.key(client.number))/n", "\(number)")
          : put(client, "large", "1", ["If-Match": "AAAAAAAAAAAAAAAAAAAAAAAAAAA="])
      }),
    Attack(
      name: "REST, updates of 5,000 deep places",
      load: .requests(connections: 2) { client, _, number in
        AttackRequest(
          .PATCH, "/own/\(client.uid).json?print=silent&auth=\(client.tokens[0])",
          body: number.isMultiple(of: 2) ? scattered : gathered)
      }),
    Attack(
      name: "REST, reads with a token that does not verify",
      load: .requests(connections: 8) { client, _, number in
        AttackRequest(.GET, "/honest/profile.json?auth=\(client.tokens[0].dropLast(8))\(10_000_000 + number)")
      }),
  ]

  /// Attacks with event streams and long polls.
  static let streams = [
    Attack(
      name: "event streams of a large place, closed at once", needsLargePlace: true,
      load: .requests(connections: 2) { client, _, _ in stream(client, "large", .beginning) }),
    Attack(
      name: "event streams of a small place, closed at once",
      load: .requests(connections: 8) { client, _, _ in stream(client, "hot", .beginning) }),
    Attack(
      name: "writes beside 100 event streams",
      load: .requests(connections: 101) { client, connection, number in
        connection > 0
          ? stream(client, "hot", .never)
          : put(client, "hot/c\(client.number)", "{\"text\":\"\(filler)\",\"n\":\(number)}")
      }),
    Attack(
      name: "long polls, sessions opened and left",
      load: .requests(connections: 8) { _, _, _ in AttackRequest(.GET, "/.lp?start=t&ser=1&cb=1&v=5&ns=default") }),
    Attack(
      name: "long polls of sessions that are not there",
      load: .requests(connections: 8) { _, _, number in
        AttackRequest(.GET, "/.lp?id=\(number)&pw=abcdefghij&ser=\(number)&ns=default&seg0=0&ts0=1&d0=e30.")
      }),
  ]

  private static let filler = String(repeating: "x", count: 10_000)

  private static func get(
    _ client: AttackerIdentity, _ path: String, _ query: String, _ headers: [String: String] = [:]
  ) -> AttackRequest {
    AttackRequest(.GET, "/\(path).json?\(query)&auth=\(client.tokens[0])", headers: headers)
  }

  private static func put(
    _ client: AttackerIdentity, _ path: String, _ value: String, _ headers: [String: String] = [:]
  ) -> AttackRequest {
    AttackRequest(.PUT, "/\(path).json?auth=\(client.tokens[0])", body: value, headers: headers)
  }

  private static func stream(_ client: AttackerIdentity, _ path: String, _ end: AttackRequest.End) -> AttackRequest {
    AttackRequest(
      .GET, "/\(path).json?auth=\(client.tokens[0])", headers: ["Accept": "text/event-stream"], end: end)
  }

  /// Attacks on sign-in endpoints.
  static let accounts = [
    Attack(
      name: "sign-ins with a wrong password",
      load: .requests(connections: 4) { client, _, number in
        call(
          "accounts:signInWithPassword",
          "{\"email\":\"u\(number)@\(client.uid).example\",\"password\":\"a wrong password\"}")
      }),
    Attack(
      name: "sign-ups with a password",
      load: .requests(connections: 4) { client, _, number in
        call("accounts:signUp", "{\"email\":\"u\(number)@\(client.uid).example\",\"password\":\"a long password\"}")
      }),
    Attack(
      name: "anonymous sign-ups",
      load: .requests(connections: 4) { _, _, _ in call("accounts:signUp", "{\"returnSecureToken\":true}") }),
    Attack(
      name: "accounts:lookup", needsAccount: true,
      load: .requests(connections: 4) { client, _, _ in
        call("accounts:lookup", "{\"idToken\":\"\(client.account?.idToken ?? "")\"}")
      }),
    Attack(
      name: "refreshes", needsAccount: true,
      load: .requests(connections: 4) { client, _, _ in
        AttackRequest(
          .POST, "/securetoken.googleapis.com/v1/token?key=bench",
          body: "{\"grant_type\":\"refresh_token\",\"refresh_token\":\"\(client.account?.refreshToken ?? "")\"}")
      }),
    Attack(
      name: "createAuthUri",
      load: .requests(connections: 4) { client, _, number in
        call(
          "accounts:createAuthUri",
          "{\"identifier\":\"u\(number)@\(client.uid).example\",\"continueUri\":\"http://localhost\"}")
      }),
    Attack(
      name: "forged custom tokens",
      load: .requests(connections: 4) { client, _, number in
        call(
          "accounts:signInWithCustomToken",
          "{\"token\":\"\(client.tokens[0].dropLast(8))\(10_000_000 + number)\",\"returnSecureToken\":true}")
      }),
    Attack(
      name: "password resets of strangers",
      load: .requests(connections: 4) { client, _, number in
        call(
          "accounts:sendOobCode",
          "{\"requestType\":\"PASSWORD_RESET\",\"email\":\"u\(number)@\(client.uid).example\"}")
      }),
  ]

  private static func call(_ method: String, _ body: String) -> AttackRequest {
    AttackRequest(.POST, "/identitytoolkit.googleapis.com/v1/\(method)?key=bench", body: body)
  }

  /// Attacks with an administrator's credential.
  static let administration = [
    Attack(
      name: "administrator, rules deployed again and again",
      load: .requests(connections: 2) { client, _, number in
        AttackRequest(
          .PUT, "/.settings/rules.json?auth=\(client.secret)",
          body: "// \(client.number) \(number)\n" + GriefingData.rules)
      }),
    Attack(
      name: "administrator, reads of the past", needsLargePlace: true,
      load: .requests(connections: 4) { client, connection, number in
        connection == 0
          ? AttackRequest(.PUT, "/hot/past.json?auth=\(client.secret)", body: "\(number)")
          : AttackRequest(.GET, "/hot.json?at=\(number % 3 + 1)s&auth=\(client.secret)")
      }),
  ]
}
