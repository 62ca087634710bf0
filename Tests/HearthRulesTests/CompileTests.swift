import HearthTree
import Testing

@testable import HearthRules

@Suite("The contents of compiled rules")
struct CompileTests {
  @Test("The compiler folds constant strings only when they are short")
  func longConstants() throws {
    let doubled = "'x'" + String(repeating: ".replace('x', 'xx')", count: 14)
    let expression = doubled + String(repeating: ".replace('y', 'z')", count: 10) + ".length == \(1 << 14)"
    let checked = try Checker(kind: .write, wildcards: [:]).check(rule: try Parser.parse(expression))
    let kept = Program(checked).constants.reduce(0) { sum, value in
      if case .string(let text) = value { sum + text.utf8.count } else { sum }
    }
    #expect(kept < 20 * RulesLimits.constantBytesMax)
    #expect(try RuleEvaluation().write(expression) == .yes)
    let short = try Checker(kind: .write, wildcards: [:]).check(rule: try Parser.parse("'ab'.toUpperCase() == 'AB'"))
    let program = Program(short)
    guard case .constant = program.operations[Int(program.root)] else {
      Issue.record("a short constant was left to be computed")
      return
    }
  }

  @Test("Columns count UTF-16 code units up to any byte offset")
  func columns() {
    let text = (0..<40).map { "é😀x\($0)" }.joined() + "\n" + String(repeating: "a😀", count: 33) + "\n\n"
    let source = SourceText(text)
    for offset in 0...(source.bytes.count + 1) {
      let before = source.bytes.prefix(offset)
      let line = before.reversed().prefix { $0 != UInt8(ascii: "\n") }
      let units = line.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : $1 >= 0xF0 ? 2 : 1) }
      #expect(source.position(ofByte: offset).column == units + 1, "\(offset)")
    }
  }

  @Test("A long line with many errors gives a limited number of short diagnostics")
  func manyProblems() throws {
    let rules = (0..<5000).map { "\"k\($0)\":{\".read\":\"x\"}," }
    let error = try #require(throws: RulesError.self) { try RuleSet.compile("{\"rules\":{\(rules.joined())}}") }
    #expect(error.diagnostics.count == RulesLimits.diagnosticsMax)
    #expect(error.diagnostics.allSatisfy { $0.sourceLine.isEmpty })
    let before = "{\"rules\":{".count + rules[..<99].joined().count + "\"k99\":{\".read\":\"".count
    #expect(error.diagnostics.last?.column == before + 1)
    #expect(error.rendered(file: "f").utf8.count < 50_000)
  }

  @Test("Canonically equivalent wildcards with different code units are different wildcards")
  func wildcardsByCodeUnits() throws {
    #expect(RulesFixtures.refusal("$\u{E9} == 'a'", below: ["$e\u{301}"]) == "Unknown variable '$\u{E9}'.")
    let rule = "$\u{E9} == 'a' && $e\u{301} == 'b'"
    let rules = try RuleSet.compile("{\"rules\":{\"$\u{E9}\":{\"$e\u{301}\":{\".read\":\"\(rule)\"}}}}")
    let request = ReadRequest(path: Path("a/b"), root: .empty, auth: nil, nowMilliseconds: RulesFixtures.now)
    #expect(rules.decideRead(request).isAllowed)
  }

  @Test("Regular expressions that exceed the size limit only in total are refused")
  func manyRegularExpressions() {
    let many = Array(repeating: #"newData.val().matches(/\W{1000}/)"#, count: 300)
    #expect(RulesFixtures.refusal(many[0]) == nil)
    let message = "Illegal regular expression, the patterns of the file are too large in total"
    #expect(RulesFixtures.refusal(many.joined(separator: " || ")) == message)
    let rules = many.enumerated().map { "\"k\($0)\":{\".write\":\(RulesFixtures.text(.string($1)))}" }
    let file = "{\"rules\":{\(rules.joined(separator: ","))}}"
    let error = #expect(throws: RulesError.self) { try RuleSet.compile(file) }
    #expect(error?.diagnostics.first?.message == message)
  }

  @Test("Comparisons of long texts count against the step limit")
  func comparisons() throws {
    let big = "\"" + String(repeating: "a", count: 3_000_000) + "\""
    let same = "newData.val() == data.val()"
    let evaluation = RuleEvaluation(stored: "{\"p\":\(big)}", written: big)
    #expect(try evaluation.write(same) == .yes)
    #expect(try evaluation.write(Array(repeating: same, count: 50).joined(separator: " && ")) == .error)
  }
}
