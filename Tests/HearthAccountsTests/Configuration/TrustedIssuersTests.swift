import HearthPlugin
import HearthTree
import Testing

@testable import HearthAccounts

@Suite struct TrustedIssuersTests {
  @Test func `trusted issuers are read with a prefix of their uids, unless the file says that there is none`() throws {
    let file = #"""
      {"trust": {"firebaseProjects": ["my-app"], "trustedHosts": ["ID.internal"], "issuers": [
        {"issuer": "https://id.example.com/realm", "audiences": ["api"]},
        {"issuer": "https://b.example", "audiences": ["x", "y"], "uidPrefix": "", "keysURL": "https://b.example/keys"}]}}
      """#
    let trusted = try AccountsConfiguration.parse(
      Array(file.utf8), over: AccountsConfiguration(publicURL: "http://localhost:9000")
    ).trust
    #expect(trusted.all.map(\.uidPrefix) == ["", "id.example.com:", ""])
    #expect(trusted.firebaseProjects[0].issuer == "https://securetoken.google.com/my-app")
    #expect(trusted.firebaseProjects[0].audiences == ["my-app"] && trusted.firebaseProjects[0].requiresAuthTime)
    #expect(trusted.issuers[1].keysURL == "https://b.example/keys" && !trusted.issuers[1].requiresAuthTime)
    #expect(trusted.trustedHosts == ["id.internal"])
  }

  @Test(
    arguments: [
      (#"{"issuers": [{"issuer": "https://a.example"}]}"#, "trust.issuers[0].audiences: must name"),
      (#"{"issuers": [{"issuer": "a.example", "audiences": ["x"]}]}"#, "trust.issuers[0].issuer: must be"),
      (#"{"issuers": [{"issuer": "https://a", "audiences": []}]}"#, "trust.issuers[0].audiences: must name"),
      (#"{"issuers": [{"issuer": "https://a", "audiences": ["x"], "uidPrefix": "ä"}]}"#, "uidPrefix: must be"),
      (#"{"issuers": [{"issuer": "https://a", "audience": ["x"]}]}"#, "audiences: must name"),
      (#"{"firebaseProjects": ["my app"]}"#, "trust.firebaseProjects[0]: must be"),
      (#"{"firebaseProjects": ["my-app", "my-app"]}"#, "names the issuer https://securetoken.google.com/my-app twice"),
      (#"{"firebaseProjects": [{"id": "my app"}]}"#, "trust.firebaseProjects[0]: must be"),
      (#"{"firebaseProjects": [{"id": "my-app", "database": ["x"]}]}"#, "did you mean databases?"),
      (#"{"firebaseProjects": [{"id": "my-app", "databases": []}]}"#, "trust.firebaseProjects[0].databases: names no"),
      (#"{"firebaseProjects": [{"id": "my-app", "userLookup": {}}]}"#, "userLookup.keyFile: must be the path"),
      (
        #"{"issuers": [{"issuer": "https://a", "audiences": ["x"], "userLookup": {"keyFile": "k"}}]}"#,
        "userLookup.url: must be the URL"
      ),
      (
        #"{"issuers": [{"issuer": "https://a", "audiences": ["x"]}, {"issuer": "https://a", "audiences": ["y", "x"]}]}"#,
        "names the issuer https://a twice for one audience"
      ),
      (
        #"{"issuers": [{"issuer": "https://a", "audiences": ["x"]},"#
          + #"{"issuer": "https://a", "audiences": ["y"], "keysURL": "https://a/k"}]}"#, "names different keysURL"
      ),
    ])
  func `a list of trusted issuers with a mistake is refused`(trust: String, problem: String) {
    do {
      _ = try AccountsConfiguration.parse(
        Array(#"{"trust": \#(trust)}"#.utf8), over: AccountsConfiguration(publicURL: "http://localhost:9000"))
      Issue.record("accepted: \(trust)")
    } catch {
      #expect("\(error)".contains(problem), "\(error)")
    }
  }

  private static func trust(_ text: String, over configuration: AccountsConfiguration? = nil) throws -> TrustedIssuers {
    try AccountsConfiguration.parse(
      Array(#"{"trust": \#(text)}"#.utf8),
      over: configuration ?? AccountsConfiguration(publicURL: "http://localhost:9000")
    ).trust
  }

  @Test func `an issuer opens all databases or some, and may do so by audience`() throws {
    let trusted = try Self.trust(
      #"""
      {"firebaseProjects": ["my-app", {"id": "shop", "databases": ["shop"], "userLookup": {"keyFile": "key.json"}}],
       "issuers": [{"issuer": "https://a.example", "audiences": ["x"], "databases": ["one", "two"]},
         {"issuer": "https://a.example", "audiences": ["y"]}]}
      """#)
    #expect(trusted.all.map(\.databases) == [nil, ["shop"], ["one", "two"], nil])
    let lookup = try #require(trusted.firebaseProjects[1].userLookup)
    #expect(lookup.keyFile == "key.json" && lookup.intervalSeconds == 60)
    #expect(lookup.url == "https://identitytoolkit.googleapis.com/v1/projects/shop/accounts:lookup")
  }

  @Test func `a list that administrators set replaces that of the file, and keeps the lookups of users`() throws {
    var configuration = AccountsConfiguration(publicURL: "http://localhost:9000")
    configuration.trust = try Self.trust(
      #"""
      {"firebaseProjects": ["my-app", {"id": "shop", "userLookup": {"keyFile": "key.json", "intervalSeconds": 5}}],
       "issuers": [{"issuer": "https://a.example", "audiences": ["x"]}], "trustedHosts": ["a.example"]}
      """#)
    let changed = try Self.trust(#"{"firebaseProjects": [{"id": "shop", "databases": ["shop"]}]}"#, over: configuration)
    #expect(changed.firebaseProjects.map(\.audiences) == [["shop"]] && changed.issuers.count == 1)
    #expect(changed.firebaseProjects[0].databases == ["shop"] && changed.trustedHosts == ["a.example"])
    #expect(changed.firebaseProjects[0].userLookup?.intervalSeconds == 5)
    #expect(try Self.trust(#"{"firebaseProjects": [], "issuers": []}"#, over: configuration).all.isEmpty)
    // Administrators get the settings in the form of the file, without the lookups.
    let json = configuration.trust.json
    #expect(json["firebaseProjects"] == [["id": "my-app"], ["id": "shop"]])
    #expect(json["issuers"] == [["issuer": "https://a.example", "audiences": ["x"], "uidPrefix": "a.example:"]])
    #expect(try Self.trust(String(decoding: json.text(), as: UTF8.self), over: configuration) == configuration.trust)
  }

  @Test(
    arguments: [
      #"{"trustedHosts": ["127.0.0.1"]}"#, #"{"allowsPlainHTTP": true}"#, #"{"authorityFile": "/etc/shadow"}"#,
      #"{"firebaseProjects": [{"id": "shop", "userLookup": {"keyFile": "/etc/shadow"}}]}"#,
      #"{"issuers": [{"issuer": "https://a", "audiences": ["x"], "userLookup": null}]}"#, #"{"isssuers": []}"#,
    ])
  func `Security 99: administrators cannot set addresses and files while the server runs`(change: String) throws {
    let json = try #require(JSON(parsing: change.utf8))
    #expect { try TrustedIssuers.checkChange(json) } throws: { error in
      (error as? AccountError)?.detail?.hasSuffix("can only be set in the configuration file") == true
    }
  }
}
