import HearthTree

extension Conversation {
  /// Parses a file of conversations.
  package static func parse(_ text: String) throws(ConversationError) -> [Conversation] {
    var parser = ConversationParser()
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      do {
        try parser.take(String(line), number)
      } catch {
        throw ConversationError(line: number, message: "\(error): \(line)")
      }
    }
    return parser.finished
  }
}

private struct ConversationParser {
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  static let openRules = #"{"rules": {".read": true, ".write": true}}"#
  private static let methods: Set = ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"]

  private var conversations: [Conversation] = []

  var finished: [Conversation] { conversations }

  mutating func take(_ line: String, _ number: Int) throws {
    if line.isEmpty || line.first == "#" { return }
    if line.hasPrefix("= ") { return try begin(line) }
    guard !conversations.isEmpty else { throw Problem(description: "no title before it") }
    if line.first == " " { return try detail(line.trimmed) }
    var words = Words(line)
    let first = words.next()
    let last = conversations.count - 1
    switch first {
    case "rules": conversations[last].rules = words.rest
    case "data": conversations[last].data = words.rest
    case "time":
      guard let milliseconds = Int64(words.next()) else { throw Problem(description: "milliseconds are missing") }
      add(.time(milliseconds: milliseconds), line, number)
    case "as":
      let identity = try Self.identity(words.next())
      add(try Self.http(words.next(), &words, identity), line, number)
    case _ where Self.methods.contains(first): add(try Self.http(first, &words, .signedOut), line, number)
    default: add(try Self.step(of: first, &words), line, number)
    }
  }

  private mutating func begin(_ line: String) throws {
    let text = line.dropFirst(2)
    guard let open = text.lastIndex(of: "("), text.last == ")" else {
      throw Problem(description: "a title says at its end, in brackets, what it is drawn from")
    }
    conversations.append(
      Conversation(
        title: String(text[..<open]).trimmed, source: String(text[text.index(after: open)...].dropLast()),
        rules: Self.openRules, data: nil, steps: []))
  }

  private mutating func add(_ kind: Conversation.Kind, _ text: String, _ line: Int) {
    conversations[conversations.count - 1].steps.append(Conversation.Step(line: line, text: text, kind: kind))
  }

  // MARK: Steps of clients

  private static func step(of name: String, _ words: inout Words) throws -> Conversation.Kind {
    let verb = words.next()
    switch verb {
    case "connects":
      var (after, agent): (String?, String?) = (nil, nil)
      while !words.rest.isEmpty {
        switch words.next() {
        case "after": after = words.next()
        case "as": agent = words.next()
        case let other: throw Problem(description: "'\(other)' is no way to connect")
        }
      }
      return .connect(name, after: after, agent: agent)
    case "leaves": return .leave(name)
    case "is": return .identify(name, try identity(words.rest))
    case "silent": return .silent(name)
    case "streams":
      let target = words.next()
      return .stream(name, target: target, words.rest.isEmpty ? .signedOut : try identity(words.rest))
    case ">":
      let action = words.next()
      return action == "raw"
        ? .raw(name, text: words.rest) : .request(name, action: action, body: words.rest)
    case "<": return .expect(name, try expectation(&words))
    default: throw Problem(description: "'\(verb)' is no step")
    }
  }

  private static func identity(_ text: String) throws -> Conversation.Identity {
    switch text {
    case "admin": .administrator
    case "nobody": .signedOut
    default: .user(try json(text))
    }
  }

  private static func expectation(_ words: inout Words) throws -> Conversation.Expectation {
    let action = words.next()
    switch action {
    case "closed": return .closed
    case "control":
      let type = words.next()
      return .control(type: type, data: try json(words.rest))
    default:
      if let first = words.rest.first, first.isLetter, !words.rest.hasPrefix("null") {
        let all = words.rest
        let status = words.next()
        guard status.allSatisfy({ $0.isLetter || $0 == "_" }), words.rest.isEmpty || isJSON(words.rest) else {
          return .text(action: action, text: all)
        }
        return .reply(action: action, status: status, data: words.rest.isEmpty ? nil : try json(words.rest))
      }
      return .push(action: action, body: try json(words.rest))
    }
  }

  private static func isJSON(_ text: String) -> Bool { (try? json(text)) != nil }

  private static func json(_ text: String) throws -> JSON {
    guard let json = JSON(parsing: (text == "*" ? "\"*\"" : text).utf8) else {
      throw Problem(description: "no JSON: \(text)")
    }
    return json
  }

  // MARK: HTTP

  private static func http(
    _ method: String, _ words: inout Words, _ identity: Conversation.Identity
  ) throws -> Conversation.Kind {
    guard methods.contains(method) else { throw Problem(description: "'\(method)' is no method") }
    let target = words.next()
    guard target.first == "/" else { throw Problem(description: "a target begins with a slash") }
    let body = words.rest.isEmpty ? nil : words.rest
    return .http(Conversation.HTTPExchange(identity: identity, method: method, target: target, body: body))
  }

  private mutating func detail(_ text: String) throws {
    let last = conversations.count - 1
    guard let index = conversations[last].steps.indices.last,
      case .http(var exchange) = conversations[last].steps[index].kind
    else { throw Problem(description: "an indented line belongs to a request over HTTP") }
    var words = Words(text)
    let first = words.next()
    if first == "send" {
      exchange.requestHeaders.append(try Self.header(words.rest))
    } else if let status = Int(first) {
      exchange.status = status
      exchange.responseBody = try Self.body(words.rest)
    } else {
      exchange.responseHeaders.append(try Self.header(text))
    }
    conversations[last].steps[index].kind = .http(exchange)
  }

  private static func body(_ text: String) throws -> Conversation.HTTPExchange.Body? {
    if text.isEmpty { return nil }
    if text == "-" { return .empty }
    if text.hasPrefix("text ") { return .text(String(text.dropFirst(5))) }
    return .json(try json(text))
  }

  private static func header(_ text: String) throws -> (name: String, value: String) {
    guard let colon = text.firstIndex(of: ":") else { throw Problem(description: "a header field has a colon") }
    return (String(text[..<colon]), String(text[text.index(after: colon)...]).trimmed)
  }
}

/// A line split into words, and the rest of the line.
private struct Words {
  private(set) var rest: String

  init(_ text: String) { rest = text.trimmed }

  mutating func next() -> String {
    let word = rest.prefix { $0 != " " }
    rest = String(rest.dropFirst(word.count)).trimmed
    return String(word)
  }
}

extension String {
  fileprivate var trimmed: String {
    let start = drop { $0 == " " }
    return String(start.reversed().drop { $0 == " " }.reversed())
  }
}
