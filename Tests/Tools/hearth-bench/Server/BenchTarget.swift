import Glibc
import HearthCrypto
import HearthProgram

/// The server under load.
struct BenchTarget: Sendable {
  var host: String
  var port: Int
  var namespace: String
  /// The server's process; nil when it runs on another machine.
  var process: pid_t?
  var adminCredential: String
  private var minter: LegacyTokenMinter

  var authority: String { "\(host):\(port)" }

  init(host: String, port: Int, namespace: String, process: pid_t?, keys: KeyStore) {
    self.host = host
    self.port = port
    self.namespace = namespace
    self.process = process
    adminCredential = keys.legacySecrets.active[0]  // A key store has at least one secret.
    minter = LegacyTokenMinter(secrets: keys.legacySecrets)
  }

  /// The HTTP request that opens a WebSocket.
  var upgradeRequest: String {
    "GET /.ws?v=5&ns=\(namespace) HTTP/1.1\r\nHost: \(authority)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
  }

  /// Returns an ID token.
  ///
  /// - Parameter ageSeconds: The seconds since it was issued; tokens with different ages differ.
  func token(uid: String, ageSeconds: Int = 0) throws -> String {
    try minter.mint(uid: uid, issuedAtSeconds: WallClock.nowSeconds - Int64(ageSeconds))
  }

  /// The rules for the scenarios: members of a room read and write it; signed-in users read and write the items and the
  /// counter.
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
