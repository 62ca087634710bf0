import HearthEngine
import HearthTree
import Testing

@testable import HearthGateway

@Suite struct ProposedRequestTests {
  private func request(_ text: String) throws -> ProposedRequest {
    try ProposedRequest(#require(JSON(parsing: text.utf8)))
  }

  @Test(
    "a request in JSON is decoded and encoded unchanged",
    arguments: [
      #"{"read":"/rooms/r1"}"#, #"{"read":"/","query":{"sp":null,"sin":true,"l":2,"vf":"l","i":".value"}}"#,
      #"{"write":"/a/.priority","value":5}"#,
      #"{"write":"/a","value":{"n":{".sv":{"increment":2}},"t":{".sv":"timestamp"}}}"#,
      #"{"update":"/a","value":{"b/c":1,"d":null,"e/.priority":"p"}}"#,
      #"{"write":"/größe","value":{".value":9007199254740993,".priority":"x"}}"#,
    ])
  func roundTrip(text: String) throws { #expect(try request(text).json == JSON(parsing: text.utf8)) }

  @Test("a deletion is a write of null")
  func deletion() throws {
    #expect(try request(#"{"delete":"/a"}"#).json == JSON(parsing: #"{"write":"/a","value":null}"#.utf8))
  }

  @Test(
    "an invalid proposed request is refused with a reason",
    arguments: [
      ("{}", "a request needs one of read, write, update and delete, with a path"),
      (#"{"read":"/a","write":"/a"}"#, "a request needs one of read, write, update and delete, with a path"),
      (#"{"read":5}"#, "a request needs one of read, write, update and delete, with a path"),
      (#"{"read":"/a.b"}"#, "Invalid token in path"), (#"{"read":"/a/.priority"}"#, "Invalid token in path"),
      (#"{"write":"/a"}"#, "a write needs a value; null deletes"),
      (#"{"read":"/a","query":[]}"#, "A query must be a JSON object."),
      (#"{"update":"/a","value":null}"#, RESTFailure.invalidMerge.text),
    ])
  func refused(text: String, message: String) throws {
    let json = try #require(JSON(parsing: text.utf8))
    let failure = #expect(throws: RESTFailure.self) { try ProposedRequest(json) }
    #expect(failure?.text == message)
  }
}
