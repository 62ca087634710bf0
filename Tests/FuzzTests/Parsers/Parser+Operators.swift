import HearthMigration
import HearthTree
import HearthTriggers

@testable import HearthAccounts
@testable import HearthPluginHost

extension Parser {
  /// Parsers of texts from operators, and from their plugins and services.
  static let operatorParsers = [
    Parser(name: "configuration") { bytes in
      _ = try? AccountsConfiguration.parse(bytes, over: AccountsConfiguration(publicURL: "http://127.0.0.1:9000"))
    },
    Parser(name: "plugin-lines") { bytes in
      var framer = LineFramer(lineBytesMax: 64)
      for piece in pieces(of: bytes) {
        framer.append(piece)
        do {
          while let line = try framer.next() {
            try require(line.count <= 64, "a line that is longer than allowed")
            _ = JSON(parsing: line)
            _ = LogLines.printable(line)
          }
        } catch is LineFramer.TooLong {
          return
        }
      }
    },
    Parser(name: "plugin-manifest") { bytes in _ = try? PluginManifest(bytes) },
    Parser(name: "trigger") { bytes in
      _ = try? TriggerPattern(String(decoding: bytes, as: UTF8.self))
      guard let json = JSON(parsing: bytes) else { return }
      _ = try? TriggerDefinition(json)
    },
    Parser(name: "users-export") { bytes in
      guard let json = JSON(parsing: bytes) else { return }
      var check = UsersCheck(file: "users.json", hasHashParameters: false)
      for user in json["users"]?.array ?? [json] { check.add(user) }
    },
  ]
}
