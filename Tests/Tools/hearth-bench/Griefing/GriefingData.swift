import HearthTree
import NIOHTTP1

/// The rules, settings and data of the attacked servers.
enum GriefingData {
  /// The number of children of `/large`.
  static let largeCount = 100_000

  /// The number of rule levels below `/costly/walk`.
  static let walkLevels = 20

  /// The rules. Honest clients use `/honest`; the rest is plausible for an app, with the most expensive rules that its
  /// author might write.
  static let rules = """
    { "rules": {
      "honest": { ".read": "auth != null", ".write": "auth != null" },
      "own": { "$uid": { ".read": "auth.uid === $uid", ".write": "auth.uid === $uid" } },
      "shown": { "$item": { ".read": "auth == null || auth.uid !== $item" } },
      "large": { ".read": "auth != null", ".write": "auth != null", ".indexOn": ["ts"] },
      "hot": { ".read": "auth != null", ".write": "auth != null" },
      "gate": { ".read": "auth != null", ".write": "auth != null" },
      "gated": { "$item": { ".read": "root.child('gate').val() !== $item" } },
      "costly": {
        "pattern": { "$uid": { ".write": "newData.val().matches(/^(a|b|ab|ba|aab|bba)*c?$/)" } },
        "joined": { "$uid": { ".write": "(\(joined)).length > 0" } },
        "replaced": { "$uid": { ".write": "newData.val()\(replaced).length > 0" } },
        "walk": { "$uid": \(walk(walkLevels)) }
      }
    } }
    """

  /// The accounts' configuration.
  static let accounts = """
    { "signIn": { "customToken": true, "anonymous": true, "password": true } }
    """

  private static let joined = Array(repeating: "newData.val()", count: 16).joined(separator: " + ")
  private static let replaced = Array(repeating: ".replace('a', 'aa').replace('aa', 'a')", count: 8).joined()

  /// Returns rules with `levels` levels, each of which reads all levels above it.
  private static func walk(_ levels: Int) -> String {
    let above = String(repeating: ".parent()", count: walkLevels - levels)
    let below = levels > 1 ? ", \"$k\(levels)\": \(walk(levels - 1))" : ""
    let write = levels == walkLevels ? "\".write\": \"auth != null\", " : ""
    return "{ \(write)\".validate\": \"newData\(above).exists() && !data\(above).child('none').exists()\"\(below) }"
  }

  /// The JSON of `/large`.
  static let large: String = {
    var text = "{"
    for number in 0..<largeCount {
      if number > 0 { text += "," }
      text += "\"\(BenchItems.key(number))\":\(BenchItems.item(number))"
    }
    return text + "}"
  }()

  /// Writes the data for honest clients and for the attack.
  static func write(for attack: Attack, to target: BenchTarget) async throws {
    try await put("/honest/profile", "{\"name\":\"a person\",\"since\":1700000000000}", target)
    if attack.needsLargePlace { try await put("/large", large, target) }
  }

  private static func put(_ path: String, _ body: String, _ target: BenchTarget) async throws {
    let request = BenchHTTP.Request(
      method: .PUT, path: "\(path).json?print=silent&auth=\(target.adminCredential)", body: body)
    let answer = try await BenchHTTP.ask(request, of: target)
    guard answer.status == 204 else {
      throw BenchServer.Failure(description: "\(path): the server answered with status \(answer.status)")
    }
  }

  /// Makes an anonymous account.
  static func account(of target: BenchTarget) async throws -> AttackerIdentity.Account {
    let request = BenchHTTP.Request(
      path: "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=bench", body: "{\"returnSecureToken\":true}")
    let answer = try await BenchHTTP.ask(request, of: target)
    guard let json = answer.body.flatMap({ JSON(parsing: $0.readableBytesView) }),
      let idToken = json["idToken"]?.string,
      let refreshToken = json["refreshToken"]?.string
    else {
      throw BenchServer.Failure(description: "the server made no account: it answered with status \(answer.status)")
    }
    return AttackerIdentity.Account(idToken: idToken, refreshToken: refreshToken)
  }
}
