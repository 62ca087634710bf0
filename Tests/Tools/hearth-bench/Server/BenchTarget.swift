import Glibc
import HearthCrypto
import HearthProgram

/// The server that a scenario loads.
struct BenchTarget: Sendable {
  var host: String
  var port: Int
  var namespace: String
  /// nil when the server is not this machine's.
  var process: pid_t?
  var adminCredential: String
  private var minter: LegacyTokenMinter

  var authority: String { "\(host):\(port)" }

  init(host: String, port: Int, namespace: String, process: pid_t?, keys: KeyStore) {
    self.host = host
    self.port = port
    self.namespace = namespace
    self.process = process
    adminCredential = keys.legacySecrets.active[0]  // a store has at least one, by LegacySecrets' initialiser
    minter = LegacyTokenMinter(secrets: keys.legacySecrets)
  }

  /// Opens a socket.
  var upgradeRequest: String {
    "GET /.ws?v=5&ns=\(namespace) HTTP/1.1\r\nHost: \(authority)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
  }

  /// - Parameter ageSeconds: how long ago it was issued; tokens of different ages differ.
  func token(uid: String, ageSeconds: Int = 0) throws -> String {
    try minter.mint(uid: uid, issuedAtSeconds: WallClock.nowSeconds - Int64(ageSeconds))
  }

  /// What the scenarios need: members of a room read and write it; who is signed in uses the items and the counter.
  static let rules = """
    { "rules": { "rooms": { "$room": {
      ".read": "root.child('members/' + $room + '/' + auth.uid).exists()",
      ".write": "root.child('members/' + $room + '/' + auth.uid).exists()"
    } },
    "items": { ".read": "auth != null", ".write": "auth != null", ".indexOn": "ts" },
    "counter": { ".read": "auth != null", ".write": "auth != null" }
    } }
    """
}
