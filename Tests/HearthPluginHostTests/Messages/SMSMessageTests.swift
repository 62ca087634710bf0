import HearthPlugin
import HearthTree
import Testing

@Suite struct SMSMessageTests {
  @Test("a message has an E.164 number, and a text that can be sent")
  func numbers() {
    for number in ["+15555550100", "+4915112345678", "+12345678"] {
      #expect(SMSMessage(kind: .code, to: number, text: "1") != nil, "\(number)")
    }
    for number in [
      "", "+", "15555550100", "+05555550100", "+1234567", "+1234567890123456", "+1555 5550100", "+1555555010٠",
    ] {
      #expect(SMSMessage(kind: .code, to: number, text: "1") == nil, "\(number)")
    }
    #expect(SMSMessage(kind: .code, to: "+15555550100", text: "") == nil)
    #expect(SMSMessage(kind: .code, to: "+15555550100", text: String(repeating: "ä", count: 801)) == nil)
  }

  @Test("a text message is encoded with its members, and printed without number and text")
  func travels() throws {
    let message = try #require(SMSMessage(kind: .code, to: "+15555550100", text: "123456"))
    let json = try JSON(encoding: message)
    #expect([json["kind"], json["to"], json["text"]] == [.string("code"), .string("+15555550100"), .string("123456")])
    #expect(try json.decoded(as: SMSMessage.self) == message)
    var dumped = ""
    dump(message, to: &dumped)
    #expect(!"\(message)\(dumped)".contains("555") && !"\(message)\(dumped)".contains("123456"))
  }
}
