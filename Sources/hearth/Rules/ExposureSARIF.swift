import HearthExposure
import HearthRules
import HearthTree

/// What is open to everybody as a SARIF 2.1.0 log, which code scanning services show beside the lines of the file.
struct ExposureSARIF {
  private let file: String
  private let entries: [Exposure.Entry]

  init(file: String, _ entries: [Exposure.Entry]) {
    self.file = file
    self.entries = entries
  }

  private static let rules: [(id: String, identity: ExposureIdentity, operation: ExposureOperation, text: String)] = [
    ("open-read-nobody", .nobody, .read, "Somebody who is signed out can read this place."),
    ("open-write-nobody", .nobody, .write, "Somebody who is signed out can write this place."),
    ("open-read-anyone", .anyone, .read, "Everybody who signs in can read this place."),
    ("open-write-anyone", .anyone, .write, "Everybody who signs in can write this place."),
  ]

  var json: JSON {
    .object([
      .init("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")),
      .init("version", .string("2.1.0")),
      .init("runs", .array([.object([.init("tool", tool), .init("results", .array(results))])])),
    ])
  }

  private var tool: JSON {
    let rules = Self.rules.map { rule in
      JSON.object([
        .init("id", .string(rule.id)),
        .init("shortDescription", .object([.init("text", .string(rule.text))])),
        .init("defaultConfiguration", .object([.init("level", .string(Self.level(rule.identity)))])),
      ])
    }
    return .object([
      .init("driver", .object([.init("name", .string("hearth rules exposure")), .init("rules", .array(rules))]))
    ])
  }

  private static func level(_ identity: ExposureIdentity) -> String { identity == .nobody ? "error" : "warning" }

  private var results: [JSON] {
    entries.compactMap { entry in
      guard case .open(let witness, let rule?) = entry.verdict,
        let index = Self.rules.firstIndex(where: {
          $0.identity == entry.question.identity && $0.operation == entry.question.operation
        })
      else { return nil }
      let finding = Self.rules[index]
      let text =
        "\(entry.question.location.template): \(finding.text) Request: "
        + String(decoding: witness.json.text(), as: UTF8.self)
      return .object([
        .init("ruleId", .string(finding.id)), .init("ruleIndex", .int(Int64(index))),
        .init("level", .string(Self.level(finding.identity))),
        .init("message", .object([.init("text", .string(text))])),
        .init("locations", .array([location(rule)])),
        .init(
          "partialFingerprints",
          .object([.init("place/v1", .string("\(finding.id) \(entry.question.location.template)"))])),
      ])
    }
  }

  private func location(_ rule: RuleReference) -> JSON {
    .object([
      .init(
        "physicalLocation",
        .object([
          .init("artifactLocation", .object([.init("uri", .string(Self.uri(file)))])),
          .init(
            "region",
            .object([.init("startLine", .int(Int64(rule.line))), .init("startColumn", .int(Int64(rule.column)))])),
        ]))
    ])
  }

  /// A path as a URI reference: what is not plain is written by its bytes.
  private static func uri(_ path: String) -> String {
    let plain = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    return path.utf8.reduce(into: "") { text, byte in
      if plain.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
