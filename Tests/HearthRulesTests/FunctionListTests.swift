import Foundation
import HearthRules
import RandomTestKit
import Testing

/// Compares the lists of the rules language's functions in the console, the Bolt compiler and the guides with the
/// compiler's descriptors. With `HEARTH_WRITE_LISTS=1` in the environment, the tests write the lists first.
@Suite("Lists of functions")
struct FunctionListTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let note = "Written by `HEARTH_WRITE_LISTS=1` and `FunctionListTests`; do not edit."
  private static let descriptors = RulesFunction.all.map(\.descriptor)

  private func check(_ path: String, _ wanted: (String) -> String) throws {
    let url = Self.root.appending(path: path)
    if ProcessInfo.processInfo.environment["HEARTH_WRITE_LISTS"] == "1" {
      let old = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
      try wanted(old).write(to: url, atomically: true, encoding: .utf8)
    }
    let text = try String(contentsOf: url, encoding: .utf8)
    let missing = Self.descriptors.map(\.name).filter { !text.contains($0) }
    #expect(text == wanted(text), "\(path) is not what HEARTH_WRITE_LISTS=1 writes; it lacks \(missing)")
  }

  @Test("The console's editor has the functions and their help")
  func console() throws {
    let rows = Self.descriptors.map { descriptor in
      "  \(descriptor.name): \"\(descriptor.usages.joined(separator: " or ")): \(descriptor.result).\",\n"
    }
    let text = """
      /** The functions of the rules language, with their help. \(Self.note) */
      export const FUNCTIONS: { [name: string]: string } = {
      \(rows.joined())};

      """
    try check("Sources/Server/HearthConsole/Page/rules/functions.ts") { _ in text }
  }

  @Test("The Bolt compiler has the functions of strings, and code for each other one")
  func bolt() throws {
    func list(_ receiver: FunctionDescriptor.Receiver) throws -> String {
      try Self.descriptors.filter { $0.receiver == receiver }.compactMap { descriptor in
        guard case .texts(let names) = descriptor.parameters else { return nil }
        return "    \"\(descriptor.name)\": (\(try Self.kind(descriptor.type)), \(names.count)),\n"
      }.joined()
    }
    let text = """
      \"""The functions of the rules language that take texts: the kind of the result, and the number of arguments.

      \(Self.note)
      \"""

      from .code import ANY, CONDITION, NUMBER, REFERENCE, STRING  # noqa: F401

      SNAPSHOT_FUNCTIONS = {
      \(try list(.snapshot))}
      TEXT_FUNCTIONS = {
      \(try list(.text))}

      """
    try check("Plugins/Bolt/bolt/functions.py") { _ in text }
    let code = try String(
      contentsOf: Self.root.appending(path: "Plugins/Bolt/bolt/expressions.py"), encoding: .utf8)
    for descriptor in Self.descriptors {
      if case .texts = descriptor.parameters { continue }
      #expect(code.contains("\"\(descriptor.name)\""), "Plugins/Bolt/bolt/expressions.py lacks \(descriptor.name)")
    }
  }

  private static func kind(_ type: StaticType) throws -> String {
    switch type {
    case .boolean: "CONDITION"
    case .number: "NUMBER"
    case .string: "STRING"
    case .snapshot: "REFERENCE"
    case .value: "ANY"
    default: throw CocoaError(.featureUnsupported)
    }
  }

  @Test(
    "The guides' tables have all functions",
    arguments: ["Rules/README.md", "Sources/Guide/WritingRules.md"])
  func guides(path: String) throws {
    let rows = [
      ("| `root`, `data`, `newData` |", "`val()`", Self.usages(.snapshot)),
      ("| text |", "`length`", Self.usages(.text)),
    ]
    try check(path) { text in
      text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        let row = rows.first { line.hasPrefix($0.0) && line.contains($0.1) }
        return row.map { "\($0.0) \($0.2) |" } ?? String(line)
      }.joined(separator: "\n")
    }
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    for row in rows { #expect(text.contains("\n\(row.0) \(row.2) |\n"), "\(path) has no row of \(row.0)") }
  }

  private static func usages(_ receiver: FunctionDescriptor.Receiver) -> String {
    descriptors.filter { $0.receiver == receiver }.flatMap(\.usages).map { "`\($0)`" }.joined(separator: ", ")
  }

  @Test("The random rules have every function except matches, which the reference evaluator does not support")
  func randomRules() {
    var text = ""
    for seed in 0..<400 as Range<UInt64> {
      var random = RandomRules(generator: SeededRandom(seed: seed))
      text += random.expression()
    }
    let missing = Self.descriptors.map(\.name).filter { $0 != "matches" && !text.contains("." + $0) }
    #expect(missing.isEmpty)
  }
}
