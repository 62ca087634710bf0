import HearthTree
import NIOCore
import NIOHTTP1
import Testing

@testable import HearthGateway
@testable import HearthTransport

@Suite struct RESTRequestTests {
  private static func parse(
    _ target: String, _ method: HTTPMethod = .GET, _ headers: HTTPHeaders = [:]
  ) -> Result<RESTRequest, RESTFailure> {
    var all = headers
    if !all.contains(name: "Host") { all.add(name: "Host", value: "localhost:9000") }
    let http = HTTPRequest(
      method: method, target: target, headers: all, body: ByteBuffer(),
      peer: Peer(address: nil, isEncrypted: false))
    do {
      return .success(try RESTRequest(http, defaultNamespace: "main"))
    } catch {
      return .failure(error)
    }
  }

  private static func path(_ target: String) -> String? {
    guard case .success(let request) = parse(target), case .data(let location) = request.target else { return nil }
    return location.description
  }

  private static func failure(_ target: String, _ method: HTTPMethod = .GET, _ headers: HTTPHeaders = [:])
    -> RESTFailure?
  {
    if case .failure(let failure) = parse(target, method, headers) { failure } else { nil }
  }

  @Test(arguments: [
    ("/.json", "/"), ("/a/b.json", "/a/b"), ("/a/b/.json", "/a/b"), ("//x.json", "/x"),
    ("/a//b.json?print=pretty", "/a/b"),
    ("/a%20b.json", "/a b"), ("/a+b.json", "/a+b"), ("/100%.json", "/100%"), ("/%E2%9C%94.json", "/✔"),
    ("/users/tom/.priority.json", "/users/tom/.priority"), ("/%zz.json", "/%zz"),
  ])
  func dataPathsAreDecodedAfterSplitting(target: String, path: String) {
    #expect(Self.path(target) == path)
  }

  @Test(arguments: [
    "/a%2Fb.json", "/a.b.json", "/a/b.json.json", "/.info/connected.json", "/a/$x.json", "/a/%FF.json", "/a/.x/b.json",
    "/a/%5B.json", "/.priority/a.json", "http://localhost:9000/a.json", "http:/a.json", "*",
  ])
  func pathsThatCannotExistAreRefused(target: String) {
    #expect(Self.failure(target) == .invalidPath)
  }

  @Test func aPathWithoutSuffixIsNeverData() {
    #expect(Self.failure("/a/b", .PUT) == .missingSuffix)
    #expect(Self.failure("/a/b.jsonx", .PUT) == .missingSuffix)
    #expect(Self.failure("/.settings/other.json") == .notFound)
    #expect(Self.failure("/.settings/rules/x.json") == .notFound)
    #expect(Self.failure("/.settings/rulesets/x/y.json") == .notFound)
    #expect(Self.failure("/.settings/rulesets%2Fx.json") == .notFound)
    #expect(Self.failure("/.settings.json") == .notFound)
    #expect(Self.failure("/.lp?start=t") == .notFound)
  }

  @Test func administrativePathsAreRecognised() {
    #expect(try! Self.parse("/.settings/rules.json?dryRun=true", .PUT).get().target == .rules)  // It parses.
    #expect(try! Self.parse("/.inspect/databases.json?ns=x").get().target == .databases)  // It parses.
    #expect(try! Self.parse("/.settings/rulesets/a%20b.json").get().target == .rulesets(id: "a b"))  // It parses.
    #expect(try! Self.parse("/a/b/.upload?ns=x", .POST).get().target == .upload(Path("a/b")))  // It parses.
    #expect(try! Self.parse("/.upload", .POST).get().target == .upload(.root))  // It parses.
  }

  @Test func theNamespaceComesFromTheParameterThenTheHostThenTheDefault() throws {
    #expect(try Self.parse("/.json").get().namespace == "main")
    #expect(try Self.parse("/.json", .GET, ["Host": "chat.db.example:9000"]).get().namespace == "chat")
    #expect(try Self.parse("/.json?ns=Other", .GET, ["Host": "chat.db.example"]).get().namespace == "other")
    #expect(try Self.parse("/.json", .GET, ["Host": "127.0.0.1:9000"]).get().namespace == "main")
  }

  @Test func queryStringsAreFormDecodedUnlessStrictIsAsked() throws {
    #expect(try Self.parse("/.json?auth=a+b%2Bc").get().credential?.token == "a b+c")
    let strict = try Self.parse("/.json?auth=a+b", .GET, ["X-Firebase-Decoding": "1"]).get()
    #expect(strict.credential?.token == "a+b")
  }

  @Test func aCredentialComesFromOnePlace() throws {
    #expect(try Self.parse("/.json").get().credential == nil)
    #expect(try Self.parse("/.json", .GET, ["Authorization": "Bearer x"]).get().credential?.token == "x")
    // Parameters for intermediate proxies are ignored; contradictory credentials are refused.
    #expect(try Self.parse("/.json?auth=q", .GET, ["Authorization": "Basic eDp5"]).get().credential?.token == "q")
    #expect(try Self.parse("/.json?auth=q", .GET, ["Authorization": "Bearer q"]).get().credential?.token == "q")
    for name in ["auth", "access_token"] {
      #expect(Self.failure("/.json?\(name)=q", .GET, ["Authorization": "Bearer x"])?.status == 400)
    }
    #expect(try Self.parse("/.json?access_token=q").get().credential?.source == .bearer)
    #expect(Self.failure("/.json?auth=a&access_token=b")?.status == 400)
    #expect(Self.failure("/.json?auth=a&auth=b")?.status == 400)
    #expect(Self.failure("/.json", .GET, ["Authorization": "Basic eDp5"]) == .unauthorized)
  }

  @Test func anOverrideIsAnObjectOrNull() throws {
    let null = try Self.parse("/.json?auth=s&auth_variable_override=null").get()
    guard case .signedOut? = null.credential?.override else {
      Issue.record("null means signed out")
      return
    }
    let object = try Self.parse("/.json?auth=s&auth_variable_override=%7B%22uid%22:%22u%22%7D").get()
    guard case .auth(let auth)? = object.credential?.override else {
      Issue.record("an object is the identity")
      return
    }
    #expect(auth["uid"]?.string == "u")
    #expect(Self.failure("/.json?auth=s&auth_variable_override=5")?.status == 400)
    #expect(Self.failure("/.json?auth=s&auth_variable_override=%7B%22a")?.status == 400)
    #expect(Self.failure("/.json?auth_variable_override=null") == .unauthorized)
  }

  @Test func methodsCanBeOverriddenOnPostOnly() throws {
    #expect(try Self.parse("/.json", .POST, ["X-HTTP-Method-Override": "patch"]).get().method == .patch)
    #expect(try Self.parse("/.json?x-http-method-override=DELETE", .POST).get().method == .delete)
    #expect(try Self.parse("/.json?x-http-method-override=DELETE", .PUT).get().method == .put)
    #expect(Self.failure("/.json", .MOVE) == .methodNotAllowed)
    #expect(Self.failure("/.json", .POST, ["X-HTTP-Method-Override": "zap"]) == .methodNotAllowed)
  }

  @Test func conditionsAreForTheMethodsThatCanHaveThem() throws {
    #expect(Self.failure("/a.json", .PATCH, ["If-Match": "x"]) == .ifMatchNotSupported)
    #expect(Self.failure("/a.json", .GET, ["If-Match": "x"]) == .ifMatchNotSupported)
    #expect(Self.failure("/a.json", .PUT, ["If-None-Match": "x"]) == .ifNoneMatchNotSupported)
    #expect(Self.failure("/a.json", .PUT, ["If-Match": "x", "if-match": "y"])?.status == 400)
    #expect(try Self.parse("/a.json", .DELETE, ["if-match": "x"]).get().ifMatch == "x")
  }

  @Test func filtersAreForReads() throws {
    #expect(try Self.parse("/a.json?orderBy=%22$key%22&limitToFirst=1").get().query?.limit == .first(1))
    #expect(try Self.parse("/a.json?limitToFirst=x", .PUT).get().query == nil)
    #expect(Self.failure("/a.json?limitToFirst=1") == .orderMissing)
    #expect(try Self.parse("/a.json?shallow=true&limitToFirst=1").get().query?.order == .key)
  }

  @Test func aStreamHasNoOtherFormThanData() throws {
    let target = "/a.json?shallow=true&print=pretty&timeout=never&format=export&orderBy=%22$key%22"
    let stream = try Self.parse(target, .GET, ["Accept": "application/json, Text/Event-Stream"]).get()
    #expect(stream.wantsEvents && !stream.isShallow && !stream.isPretty && stream.timeoutMilliseconds == nil)
    #expect(stream.isExport && stream.query?.order == .key)
    #expect(try !Self.parse("/a.json", .PUT, ["Accept": "text/event-stream"]).get().wantsEvents)
    #expect(try !Self.parse("/.settings/rules.json", .GET, ["Accept": "text/event-stream"]).get().wantsEvents)
  }

  @Test(arguments: [
    ("3ms", true), ("3s", true), ("15min", true), ("16min", false), ("0s", false), ("3h", false), ("", false),
    ("99999999999999999999s", false), ("1.0s", true), ("1.1s", true), ("180.0s", true), ("0.5ms", true),
    ("15.0min", true),
    ("15.001min", false), ("0.0s", false), ("1.s", false), (".5s", false), ("1.0.0s", false), ("1.s5", false),
    ("0.9999999999s", false),
  ])
  func timeoutsHaveAUnitAndALimit(text: String, isValid: Bool) {
    #expect((Self.failure("/a.json?timeout=\(text)") == nil) == isValid)
  }

  @Test func toolsMaySendParametersThatMeanNothingHere() {
    #expect(Self.failure("/a.json?print=silent&writeSizeLimit=tiny&disableTriggers=false&whatever=1", .PATCH) == nil)
    #expect(Self.failure("/a.json?writeSizeLimit=huge", .PUT)?.status == 400)
  }
}
