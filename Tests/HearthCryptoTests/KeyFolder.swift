import Glibc

@testable import HearthCrypto

/// A temporary directory of a key store. All tests share its keys, because making a pair takes 100 ms.
final class KeyFolder: Sendable {
  static let projectID = TokenForge.projectID

  let path: String

  private static let template: (idToken: String, cookie: String, minting: String) = (
    TokenForge.keys.text, TokenForge.otherKeys.text, mintingKeys.text
  )
  static let mintingKeys = try! SigningKeys.generate(random: .system)  // a test machine has randomness

  init() {
    var template = Array("/tmp/hearth-ring-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }  // /tmp is writable
    write(Self.template.idToken, to: "id-token-keys.pem")
    write(Self.template.cookie, to: "session-cookie-keys.pem")
    write(Self.template.minting, to: "minting-key.pem")
  }

  deinit {
    guard let stream = opendir(path) else { return }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    closedir(stream)
    for name in names where name != "." && name != ".." { unlink(path + "/" + name) }
    rmdir(path)
  }

  func write(_ text: String, to name: String) {
    let descriptor = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = text.withCString { Glibc.write(descriptor, $0, strlen($0)) }
    close(descriptor)
  }

  func store() throws -> KeyStore { try KeyStore(directory: path) }

  func ring(acceptsRawSecrets: Bool = true) throws -> KeyRing {
    KeyRing(store: try store(), projectID: Self.projectID, acceptsRawSecrets: acceptsRawSecrets)
  }
}
