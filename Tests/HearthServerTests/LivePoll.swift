import HearthBytes
import HearthCrypto
import HearthTree

/// A browser that uses long polling, with one connection for each request.
final class LivePoll {
  private let port: Int
  private var serial = 100
  private var pieceCount = 0
  private var requestCount = 0
  private(set) var id = ""
  private(set) var password = ""
  /// The number of the next answer.
  private var expected = 0
  /// The session ID in the hello.
  private(set) var session = ""

  /// A request in progress.
  struct Request {
    let connection: LiveConnection
  }

  /// The content of an answer's script.
  struct Answer {
    var number: Int?
    var messages: [String] = []
    var isLast = false
  }

  /// Opens a session.
  ///
  /// - Parameter headers: The header fields of the opening request.
  init(port: Int, _ parameters: String = "ns=default", headers: String = "") throws {
    self.port = port
    let start = try request("start=t&ser=99&cb=1&v=5&\(parameters)", headers: headers)
    let response = try start.connection.takeResponse()
    let command = response.body.split(separator: "pLPCommand('start','").last ?? ""
    let texts = command.split(separator: "'")
    if texts.count > 2 { (id, password) = (String(texts[0]), String(texts[2])) }
    let answer = Self.read(response.body)
    expected = 1
    guard answer.number == 0, let hello = answer.messages.first else { throw LiveConnection.Ended() }
    session = String(hello.split(separator: "\"s\":\"").last ?? "").prefix { $0 != "\"" }.description
  }

  func request(_ query: String, headers: String = "") throws -> Request {
    let connection = try LiveConnection(port: port)
    connection.send(Array("GET /.lp?\(query) HTTP/1.1\r\nHost: localhost:9000\r\n\(headers)\r\n".utf8))
    return Request(connection: connection)
  }

  /// Starts a poll that sends these messages.
  func poll(_ messages: String...) throws -> Request { try poll(bytes: messages.map { Array($0.utf8) }) }

  /// Starts a poll with messages that need not be text.
  func poll(bytes messages: [[UInt8]]) throws -> Request {
    serial += 1
    var query = "id=\(id)&pw=\(password)&ser=\(serial)&ns=default"
    var index = 0
    for message in messages {
      var letters = Array(Base64URL.encode(message).utf8)
      while letters.count % 4 != 0 { letters.append(UInt8(ascii: ".")) }
      let parts = stride(from: 0, to: letters.count, by: 1840).map { letters[$0..<min($0 + 1840, letters.count)] }
      for part in parts {
        query += "&seg\(index)=\(pieceCount)&ts\(index)=\(parts.count)&d\(index)="
        query += String(decoding: part, as: UTF8.self)
        (index, pieceCount) = (index + 1, pieceCount + 1)
      }
    }
    return try request(query)
  }

  func take(_ request: Request) throws -> Answer {
    let answer = Self.read(try request.connection.takeResponse().body)
    if let number = answer.number {
      guard number == expected else { throw LiveConnection.Ended() }
      expected += 1
    }
    return answer
  }

  /// Polls until a number of messages has arrived; the first poll sends `message`.
  func messages(_ count: Int, saying message: String? = nil) throws -> [String] {
    var messages: [String] = []
    var request = try message.map { try poll($0) } ?? poll()
    while true {
      messages += try take(request).messages
      if messages.count >= count { return messages }
      request = try poll()
    }
  }

  /// Returns the text of a data message.
  func data(_ action: String, _ body: String) -> String {
    requestCount += 1
    return "{\"t\":\"d\",\"d\":{\"r\":\(requestCount),\"a\":\"\(action)\",\"b\":\(body)}}"
  }

  private static func read(_ script: String) -> Answer {
    var answer = Answer(isLast: script.contains("pLPCommand('close'"))
    guard let call = script.split(separator: "pRTLPCB(").last, call.hasSuffix("]);\n") else { return answer }
    let parts = call.split(separator: ",", maxSplits: 1)
    answer.number = parts.first.flatMap { Int($0) }
    guard answer.number != nil, parts.count == 2 else { return answer }
    let list = JSON(parsing: parts[1].dropLast(3).utf8)?.array ?? []
    answer.messages = list.map { String(decoding: $0.text(), as: UTF8.self) }
    return answer
  }
}
