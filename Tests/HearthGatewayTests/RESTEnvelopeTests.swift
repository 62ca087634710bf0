import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HearthGateway
@testable import HearthTransport

/// Tests of the `callback` parameter, which wraps a response for `<script>` elements, and of `download`, which names a
/// file.
@Suite struct RESTEnvelopeTests {
  private static func envelope(_ target: String, _ method: HTTPMethod = .GET) throws(RESTFailure) -> RESTEnvelope {
    let http = HTTPRequest(
      method: method, target: target, headers: ["Host": "localhost"], peer: Peer(address: nil, isEncrypted: false))
    return try RESTEnvelope(http, try URLQuery(of: http))
  }

  private static func wrapped(_ target: String, _ response: RESTResponse) throws -> RESTResponse {
    try envelope(target).wrap(response)
  }

  @Test("a callback is called with the response")
  func callback() throws {
    let answer = try Self.wrapped("/a.json?callback=app.on%5B0%5D", RESTResponse(body: Array("[1]".utf8)))
    #expect(String(buffer: answer.body) == "app.on[0]([1]);")
    #expect(answer.contentType == "application/javascript; charset=utf-8")
    let failure = try Self.wrapped("/a.json?callback=f", RESTResponse(.permissionDenied))
    #expect(failure.status == 401)
    #expect(String(buffer: failure.body) == "f({\n  \"error\" : \"Permission denied\"\n});")
    #expect(try Self.wrapped("/a.json?callback=f", .silent).body.readableBytes == 0)
  }

  @Test("a response is wrapped once")
  func once() throws {
    let envelope = try Self.envelope("/a.json?callback=f")
    let answer = envelope.wrap(envelope.wrap(RESTResponse(body: Array("1".utf8))))
    #expect(String(buffer: answer.body) == "f(1);")
  }

  @Test("line separators cannot end a script's string")
  func separators() throws {
    let body = Array("\"a\u{2028}b\u{2029}\u{2027}✔\"".utf8)
    let answer = try Self.wrapped("/a.json?callback=f", RESTResponse(body: body))
    #expect(String(buffer: answer.body) == "f(\"a\\u2028b\\u2029\u{2027}✔\");")
    // An incomplete UTF-8 sequence at the end is copied, and no byte after it is read.
    let cut = try Self.wrapped("/a.json?callback=f", RESTResponse(body: [0xE2, 0x80]))
    #expect(Array(buffer: cut.body) == Array("f(".utf8) + [0xE2, 0x80] + Array(");".utf8))
  }

  @Test(
    "a callback that is more than a name is refused",
    arguments: ["alert(1)", "a;b", "a%20b", "%3Cscript%3E", "", "a'b", "a%22", "a/b", "a-b", "%C3%A9"])
  func names(text: String) {
    #expect(throws: RESTFailure.invalidCallback) { try Self.envelope("/a.json?callback=\(text)") }
  }

  @Test("a callback is refused for a write, and when its name is too long")
  func refusedCallbacks() {
    for method in [HTTPMethod.PUT, .POST, .PATCH, .DELETE] {
      #expect(throws: RESTFailure.invalidCallback) { try Self.envelope("/a.json?callback=f", method) }
    }
    #expect(throws: RESTFailure.invalidCallback) {
      try Self.envelope("/a.json?callback=\(String(repeating: "f", count: 129))")
    }
  }

  @Test(
    "a download's name cannot end its quotes",
    arguments: [
      ("data.json", "attachment; filename=\"data.json\""),
      ("my+file", "attachment; filename=\"my file\""),
      ("a%22;b%0D%0AX:%20y", "attachment; filename=\"a__b__X: y\""),
      ("..%2Fetc%5Cx", "attachment; filename=\".._etc_x\""),
      ("%C3%A9.json", "attachment; filename=\"__.json\"; filename*=UTF-8''%C3%A9.json"),
    ])
  func downloads(name: String, header: String) throws {
    let answer = try Self.wrapped("/a.json?download=\(name)", RESTResponse(body: [0x31]))
    #expect(answer.headers.first { $0.name == "Content-Disposition" }?.value == header)
  }

  @Test("only data responses have a file name")
  func failures() throws {
    let answer = try Self.wrapped("/a.json?download=x", RESTResponse(.permissionDenied))
    #expect(answer.headers.isEmpty)
    #expect(try Self.envelope("/a.json?download=x", .PUT).disposition == nil)
  }
}

@Suite struct RESTDeadlineTests {
  @Test("a response in time cancels the timer")
  func inTime() {
    let loop = EmbeddedEventLoop()
    var statuses: [Int] = []
    let deadline = RESTDeadline(milliseconds: 100, on: loop, cancellation: RequestCancellation()) {
      statuses.append($0.status)
    }
    deadline.finish(.silent)
    loop.advanceTime(by: .milliseconds(200))
    #expect(statuses == [204])
  }

  @Test("a response after the timeout is discarded")
  func late() {
    let loop = EmbeddedEventLoop()
    var statuses: [Int] = []
    let cancellation = RequestCancellation()
    let deadline = RESTDeadline(milliseconds: 100, on: loop, cancellation: cancellation) { statuses.append($0.status) }
    loop.advanceTime(by: .milliseconds(99))
    #expect(statuses.isEmpty && !cancellation.isCancelled)
    loop.advanceTime(by: .milliseconds(1))
    #expect(cancellation.isCancelled)
    deadline.finish(.silent)
    #expect(statuses == [400])
  }
}
