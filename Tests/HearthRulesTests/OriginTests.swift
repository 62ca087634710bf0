import HearthTree
import Testing

@testable import HearthRules

@Suite("Rules that were translated from another language")
struct OriginTests {
  /// A source file in which `mine` is a function that contains a comparison.
  static let written = "rooms/$id\n  read mine($id)\n  write nobody\nmine(x) auth.uid == x 𝄞\n"
  static let rules = #"""
    {"rules":{"rooms":{"$id":{".read":"auth.uid == $id",".write":"false"}}}}
    """#

  /// Returns segments that map texts of the rules to texts of the source file.
  static func segments(_ pairs: [(String, String)]) throws -> [RulesOrigin.Segment] {
    let source = SourceText(written)
    return try pairs.map { made, from in
      let byte = try #require(rules.firstRange(of: made)).lowerBound
      let place = source.position(
        ofByte: try #require(written.firstRange(of: from)).lowerBound.utf16Offset(in: written))
      return RulesOrigin.Segment(
        offset: byte.utf16Offset(in: rules), line: place.line, column: place.column, width: from.utf16.count)
    }
  }

  static func origin() throws -> RulesOrigin {
    let pairs = [
      ("\"$id", "$id"), ("\"auth", "read"), ("auth.uid", "auth.uid"), (" == ", "=="), ("$id\",", "x 𝄞"),
      ("\"false", "write"), ("false", "nobody"),
    ]
    return try #require(
      RulesOrigin(file: "app.lang", language: "lang 1", text: written, segments: try segments(pairs), of: rules))
  }

  static func text() throws -> String { try origin().appended(to: rules) }

  @Test("the origin is the last line of the rules file, and is decoded as it was encoded")
  func roundTrip() throws {
    let text = try Self.text()
    #expect(RulesOrigin(endOf: text) == (try Self.origin()))
    #expect(RulesOrigin(endOf: text + "\r\n\n") == (try Self.origin()))
    let rules = try RuleSet.compile(text)
    #expect(rules.source == text && rules.writtenSource == Self.written)
    #expect(String(decoding: rules.strictJSON, as: UTF8.self) + "\n" == Self.rules + "\n")
  }

  @Test("rules and their parts have the places at which the author wrote them")
  func places() throws {
    for keepsExpressions in [false, true] {
      let rules = try RuleSet.compile(try Self.text(), keepsExpressions: keepsExpressions)
      let read = try #require(rules.allRules.first { $0.kind == .read })
      #expect(RuleReference(read).place == "app.lang:2:3")
      #expect(RuleReference(read).description == ".read at /rooms/$id (app.lang:2:3): auth.uid == $id")
    }
    let rules = try RuleSet.compile(try Self.text(), keepsExpressions: true)
    let read = try #require(rules.allRules.first { $0.kind == .read })
    let expression = try #require(read.expression)
    #expect(read.position(of: expression) == SourcePosition(line: 4, column: 9, file: "app.lang"))
    // Columns and widths count UTF-16 units.
    let whole = read.span(ofBytes: expression.range)
    #expect(whole.end == SourcePosition(line: 4, column: 25, file: "app.lang"))
    let write = try #require(rules.allRules.first { $0.kind == .write })
    #expect(write.span(ofBytes: 0..<5).end.column == 15)
  }

  @Test("a range from several source places ends at its start")
  func scattered() throws {
    let pairs = [("\"auth", "read"), ("auth.uid", "auth.uid"), (" == ", "=="), ("$id\",", "$id")]
    let origin = RulesOrigin(
      file: "app.lang", language: "lang", text: Self.written, segments: try Self.segments(pairs), of: Self.rules)
    let text = try #require(origin).appended(to: Self.rules)
    let rules = try RuleSet.compile(text, keepsExpressions: true)
    let read = try #require(rules.allRules.first { $0.kind == .read })
    let span = read.span(ofBytes: 0..<read.text.utf8.count)
    #expect(span.start == span.end && span.start.line == 4)
    let part = read.span(ofBytes: 0..<8)
    #expect(part.end.column - part.start.column == 8)
  }

  @Test("errors and explanations name the author's line")
  func messages() throws {
    let broken = Self.rules.replacing("auth.uid", with: "auth.xid()")
    let segments = try Self.segments([("\"auth", "read"), ("auth", "auth.uid")])
    let origin = RulesOrigin(file: "a.lang", language: "lang", text: Self.written, segments: segments, of: broken)
    let text = try #require(origin).appended(to: broken)
    let error = #expect(throws: RulesError.self) { try RuleSet.compile(text) }
    let diagnostic = try #require(error?.diagnostics.first)
    #expect(diagnostic.line == 4 && diagnostic.sourceLine == "mine(x) auth.uid == x 𝄞")
    let rules = try RuleSet.compile(try Self.text()).withExpressions
    let request = ReadRequest(
      path: Path("/rooms/r1"), root: try RulesFixtures.node("null"), auth: RulesFixtures.alice,
      nowMilliseconds: RulesFixtures.now)
    let decision = rules.decideRead(request, detail: .trace)
    let explanation = Explanation(operation: "read", path: Path("/rooms/r1"), decision: decision)
    #expect(explanation.summary.contains("(app.lang:2:3)") && explanation.file == "app.lang")
    let page = explanation.rendered(file: "b/app.lang")
    #expect(page.contains("b/app.lang:2:3 .read") && page.contains("from b/app.lang:4:9"))
  }

  @Test(
    "an origin that does not match its file is ignored, and the rules are used as they are",
    arguments: [
      #"{"file":"a","language":"l","bytes":73,"map":[0,9,1,1],"text":"x"}"#,
      #"{"file":"a","language":"l","bytes":73,"map":[0,1,3,0],"text":"x"}"#,
      #"{"file":"a","language":"l","bytes":73,"map":[0,1,1,2],"text":"x"}"#,
      #"{"file":"a","language":"l","bytes":73,"map":[0,1,1],"text":"x"}"#,
      #"{"file":"a","language":"l","bytes":73,"map":[0,1,1,1,0,1,1,1],"text":"x"}"#,
      #"{"file":"a","language":"l","bytes":73,"map":[80,1,1,1],"text":"x"}"#,
      #"{"file":"a","language":"l","bytes":73,"map":[-1,1,1,1],"text":"x"}"#,
      #"{"file":"a","language":"l","bytes":73,"map":[9223372036854775807,1,1,1,9223372036854775807,1,1,1],"text":"x"}"#,
      #"{"file":"a","language":"l","bytes":72,"map":[0,1,1,1],"text":"x"}"#,
      #"{"file":"a","language":"l","bytes":73,"map":[0,1.5,1,1],"text":"x"}"#,
      #"{"file":"a","language":"l","bytes":73,"text":"x"}"#, "{}", "[]", "", #"{"file":"#,
    ])
  func wrong(comment: String) throws {
    #expect(Self.rules.utf8.count + 1 == 73)
    let text = Self.rules + "\n//# hearth.origin=" + comment + "\n"
    #expect(RulesOrigin(endOf: text) == nil)
    #expect(try RuleSet.compile(text).writtenSource == text)
  }

  @Test("segments stay within both texts, for any numbers of a plugin")
  func segments() {
    let numbers = [Int.min, -1, 0, 1, 2, 7, Int.max]
    for offset in numbers {
      for line in numbers {
        for column in numbers {
          for width in numbers {
            let segment = RulesOrigin.Segment(offset: offset, line: line, column: column, width: width)
            let origin = RulesOrigin(file: "f", language: "l", text: "abc\nd", segments: [segment], of: "{}")
            let lengths = [1: 3, 2: 1]
            let isRight =
              (0..<2).contains(offset)
              && lengths[line].map {
                (1...$0 + 1).contains(column) && (0...$0 + 1).contains(width) && column + width <= $0 + 1
              } ?? false
            #expect((origin != nil) == isRight, "\(segment)")
          }
        }
      }
    }
  }

  @Test("rules that were edited after the translation have no origin")
  func edited() throws {
    let text = try Self.text().replacing("\"false\"", with: "\"false \"")
    #expect(RulesOrigin(endOf: text) == nil)
    #expect(try RuleSet.compile(text).origin == nil)
  }

  @Test("a file's name in an origin is plain text, and short")
  func name() throws {
    let origin = RulesOrigin(
      file: "a\u{1B}[31m\n" + String(repeating: "x", count: 1_000), language: "l", text: "", segments: [], of: "{}")
    let file = try #require(origin).file
    #expect(file.hasPrefix("a?[31m?") && file.count == 100)
  }
}
