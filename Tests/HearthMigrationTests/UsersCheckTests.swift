import HearthMigration
import HearthTree
import Testing

@Suite struct UsersCheckTests {
  private func lines(_ users: [String], hasHashParameters: Bool = true) throws -> [String] {
    var check = UsersCheck(file: "users.json", hasHashParameters: hasHashParameters)
    for user in users { check.add(try #require(JSON(parsing: user.utf8))) }
    return check.findings.kept.map(\.line)
  }

  @Test("users that are imported unchanged are not reported")
  func clean() throws {
    #expect(
      try lines([
        #"{"localId":"a","email":"a@example.com","passwordHash":"aGFzaA==","salt":"c2FsdA==","providerUserInfo":[{"providerId":"password"}]}"#,
        #"{"localId":"b","phoneNumber":"+15550001","providerUserInfo":[{"providerId":"phone"}]}"#,
      ]).isEmpty)
  }

  @Test("hashes without their parameters are refused; those of an emulator and of Hearth's own exports need none")
  func parameters() throws {
    let users = [
      #"{"localId":"a","passwordHash":"aGFzaA=="}"#, #"{"localId":"b","passwordHash":"fakeHash:salt=x:password=y"}"#,
      #"{"localId":"c","passwordHash":"aGFzaA==","hearth":{"passwordHash":"$x$"}}"#,
    ]
    #expect(try lines(users).isEmpty)
    let found = try lines(users, hasHashParameters: false)
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("users.json: 1 user: refused: passwords cannot be verified without") == true)
  }

  @Test("sign-in methods and members that are not kept are counted by name")
  func counted() throws {
    let user = #"{"localId":"a","odd":1,"providerUserInfo":[{"providerId":"google.com"},{"providerId":"google.com"}]}"#
    #expect(
      try lines([user, user]) == [
        "users.json: 2 users: note: sign in with google.com: enable this sign-in method, so that they can continue",
        "users.json: 2 users: different: odd is not kept",
      ])
  }

  @Test("custom claims with the name of an account's own value are reported")
  func shadowed() throws {
    let user = #"{"localId":"a","customAttributes":"{\"email\":\"x\",\"user_id\":1,\"role\":\"b\"}"}"#
    #expect(
      try lines([user, user, #"{"localId":"b","customAttributes":"no"}"#]) == [
        "users.json: 2 users: note: the custom claim email is kept, and ID tokens contain the account's own value or none",
        "users.json: 2 users: note: the custom claim user_id is kept, and ID tokens contain the uid instead",
      ])
  }

  @Test("invented names do not fill the memory")
  func bounded() throws {
    let users = (0..<3_000).map { #"{"localId":"u\#($0)","odd\#($0)":1}"# }
    #expect(try lines(users).count == 1_000)
  }
}
