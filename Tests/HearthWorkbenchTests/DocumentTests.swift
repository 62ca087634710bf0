import HearthWorkbench
import Testing

@Suite struct DocumentTests {
  private func value(_ text: String, as file: String) throws -> LocatedValue {
    try LocatedValue.read(DocumentText(file: file, text: text))
  }

  private func refusal(_ text: String, as file: String = "a.yaml") -> String? {
    do {
      _ = try value(text, as: file)
      return nil
    } catch let problem as DocumentProblem {
      return "\(problem.diagnostic.line):\(problem.diagnostic.column): \(problem.diagnostic.message)"
    } catch {
      return "\(error)"
    }
  }

  @Test("equivalent JSON and YAML are the same value")
  func sameValue() throws {
    let json = try value(#"{"a": [1, 2.5, true, null, "x"], "b": {"c": "10"}}"#, as: "a.json")
    let yaml = try value("a:\n  - 1\n  - 2.5\n  - true\n  - ~\n  - x\nb: {c: '10'}\n", as: "a.yaml")
    #expect(shape(json) == shape(yaml))
    #expect(shape(json) == "{a:[1,2.5,true,null,'x'],b:{c:'10'}}")
  }

  private func shape(_ value: LocatedValue) -> String {
    switch value.form {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let text): "'\(text)'"
    case .array(let elements): "[" + elements.map(shape).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { "\($0.name):\(shape($0.value))" }.joined(separator: ",") + "}"
    }
  }

  @Test(
    "YAML scalars have their meaning of YAML 1.2",
    arguments: [
      ("yes", "'yes'"), ("on", "'on'"), ("True", "true"), ("null", "null"), ("0x1F", "31"), ("0o17", "15"),
      ("007", "7"), ("1e3", "1000.0"), (".5", "0.5"), ("5.", "5.0"), ("1_000", "'1_000'"), ("+1", "1"), ("-", "'-'"),
      ("1.2.3", "'1.2.3'"), ("12e", "'12e'"), ("2026-01-01", "'2026-01-01'"), ("'1'", "'1'"), ("\"null\"", "'null'"),
      ("99999999999999999999", "1e+20"),
    ])
  func words(text: String, meaning: String) throws {
    // A dash alone begins a list when it is the document.
    #expect(shape(try value("[\(text)]", as: "a.yaml")) == "[\(meaning)]" || text == "-")
  }

  @Test(
    "invalid JSON and YAML is refused with its place",
    arguments: [
      ("{\"a\": 1,}", "a.json", "1:9: Expected a member name."),
      ("{\"a\": 1, \"a\": 2}", "a.json", "1:10: 'a' occurs twice in one object."),
      ("{\"a\":\n  tru}", "a.json", "2:3: Expected a value."),
      ("// no\n{}", "a.json", "1:1: Expected a value."),
      ("{} {}", "a.json", "1:4: Unexpected content after the value."),
      ("a: 1\na: 2\n", "a.yaml", "2:1: 'a' occurs twice in one object."),
      ("a: !!int 1", "a.yaml", "1:4: Tags are not supported."),
      ("? [a]\n: 1", "a.yaml", "1:3: A name must be a string."),
      ("a: *b", "a.yaml", "1:4: No anchor '&b' is defined above."),
      ("a: &b [*b]", "a.yaml", "1:8: No anchor '&b' is defined above."),
      ("a: &b {c: 1}\nd:\n  <<: *b", "a.yaml", "3:3: '<<' does not merge objects here."),
      ("a: 1\n---\nb: 2", "a.yaml", "2:1: The file has a second document."),
      ("", "a.yaml", "1:1: The file is empty."),
      ("ä: [1, .inf]", "a.yaml", "1:8: Data can only have finite numbers."),
      ("a: 1e999", "a.yaml", "1:4: The number is out of the range of a double."),
    ])
  func refusals(text: String, file: String, message: String) {
    #expect(refusal(text, as: file) == message)
  }

  @Test("a YAML text that cannot be scanned is refused with its place")
  func unscannable() throws {
    #expect(try #require(refusal("a: 'b")).hasPrefix("1:6: Invalid YAML: "))
    #expect(try #require(refusal("a: [1, 2")).contains("Invalid YAML: "))
    #expect(try #require(refusal("a: \u{1}")).hasPrefix("1:4: Invalid YAML: control characters"))
    #expect(try #require(refusal("a:\n\t- b")).hasPrefix("2:1: Invalid YAML: "))
  }

  @Test("an alias equals its anchor, and counts towards the size", arguments: [9, 40])
  func aliasBomb(levels: Int) throws {
    #expect(shape(try value("a: &x [1, 2]\nb: *x", as: "a.yaml")) == "{a:[1,2],b:[1,2]}")
    var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...levels {
      bomb += "a\(level): &a\(level) [\((0..<10).map { _ in "*a\(level - 1)" }.joined(separator: ", "))]\n"
    }
    #expect(try #require(refusal(bomb)).hasSuffix(": More than 1000000 values."))
    // The same as keys, which the YAML library compares with all their expansions.
    let keys = bomb.split(separator: "\n").prefix(5).joined(separator: "\n") + "\nb: {*a4 : 1, *a4 : 2}\n"
    #expect(try #require(refusal(keys)).hasSuffix("A name must be a string."))
  }

  @Test(
    "deep nesting is refused",
    arguments: [
      (String(repeating: "[", count: 100_000), "a.json"), (String(repeating: "[", count: 100_000), "a.yaml"),
      (String(repeating: "- ", count: 100_000), "a.yaml"), (String(repeating: "{a: ", count: 100_000), "a.yaml"),
      (
        "a: &a " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
          + "\nb: " + String(repeating: "[", count: 40) + "*a" + String(repeating: "]", count: 40), "a.yaml"
      ),
    ])
  func deepNesting(text: String, file: String) throws {
    let message = try #require(refusal(text, as: file))
    #expect(message.contains("More than 64 "), "\(message)")
  }

  @Test("a file that is too long is refused before it is parsed")
  func longFile() throws {
    let problem = #expect(throws: DocumentProblem.self) {
      try LocatedValue.read(DocumentText(file: "a.json", text: "[          ]"), bytesMax: 10)
    }
    #expect(problem?.diagnostic.message == "The file has more than 10 bytes.")
  }

  @Test("random bytes end in a value or an error with its place")
  func randomBytes() {
    var random = SystemRandomNumberGenerator()
    let pieces = [
      "a", ":", " ", "\n", "- ", "[", "]", "{", "}", ",", "&x ", "*x", "'", "\"", "#", "|", ">", "? ", "!", "%", "1",
      "é", "\t",
    ]
    for _ in 0..<3_000 {
      let text = (0..<Int.random(in: 1...40, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined()
      for file in ["a.yaml", "a.json"] {
        if let message = refusal(text, as: file) {
          #expect(message.first?.isNumber == true, "\(text.debugDescription): \(message)")
        }
      }
    }
  }
}
