import NIOCore
import Testing

@testable import HearthGateway
@testable import HearthTransport

@Suite struct MultipartFormTests {
  private static let type = "multipart/form-data; boundary=XyZ"

  private static func form(_ text: String, _ type: String? = type) -> MultipartForm? {
    MultipartForm(ByteBuffer(string: text), contentType: type)
  }

  private static func file(_ text: String, _ type: String? = type) -> String? {
    form(text, type)?.file.map { String(buffer: $0) }
  }

  private static let one = """
    --XyZ\r
    Content-Disposition: form-data; name="f"; filename="d.json"\r
    Content-Type: application/json\r
    \r
    {"a":1}\r
    --XyZ--\r

    """

  @Test("the file is the part between its empty line and the next boundary")
  func content() {
    #expect(Self.file(Self.one) == "{\"a\":1}")
    #expect(Self.file("preamble\r\n" + Self.one + "epilogue") == "{\"a\":1}")
    #expect(Self.file(Self.one, "Multipart/Form-Data; charset=x; Boundary=\"XyZ\"") == "{\"a\":1}")
    let tricky = Self.one.replacing("{\"a\":1}", with: "\"\r\n\r\n--Xy\r\n-- XyZ--\"")
    #expect(Self.file(tricky) == "\"\r\n\r\n--Xy\r\n-- XyZ--\"")
  }

  @Test("a form's other fields are not the file")
  func fields() {
    let field = "--XyZ\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nno\r\n"
    #expect(Self.file(field + Self.one) == "{\"a\":1}")
    #expect(Self.file(field + "--XyZ--") == "no")
    #expect(Self.file(field + field + "--XyZ--") == nil)
    #expect(Self.file(Self.one.replacing("--XyZ--\r\n", with: "") + Self.one) == nil)
  }

  @Test("a part without headers has content")
  func noHeaders() {
    #expect(Self.file("--XyZ\r\n\r\n5\r\n--XyZ--") == "5")
    #expect(Self.file("--XyZ\r\nContent-Disposition: form-data\r\n\r\n\r\n--XyZ--") == "")
  }

  @Test("a truncated or invalid form has no file")
  func damage() {
    for end in 0..<(Self.one.utf8.count - 4) {
      #expect(Self.file(String(decoding: Self.one.utf8.prefix(end), as: UTF8.self)) == nil, "\(end)")
    }
    #expect(Self.file(Self.one, nil) == nil)
    #expect(Self.file(Self.one, "application/json") == nil)
    #expect(Self.file(Self.one, "multipart/form-data") == nil)
    #expect(Self.file(Self.one, "multipart/form-data; boundary=") == nil)
    #expect(Self.file(Self.one, "multipart/form-data; boundary=other") == nil)
    #expect(Self.file("--XyZ--") == nil)
  }

  @Test("many parts are not read")
  func parts() {
    let part = "--XyZ\r\n\r\n5\r\n"
    #expect(Self.form(String(repeating: part, count: 16) + "--XyZ--")?.parts.count == 16)
    #expect(Self.form(String(repeating: part, count: 17) + "--XyZ--") == nil)
  }
}
