import HearthCrypto
import HearthProgram

extension WebhookSecret {
  /// Creates the secret that is the whole content of a file.
  init(file: String) throws {
    let secrets = try Self.secrets(inFile: file)
    guard let secret = secrets.first, secrets.count == 1 else { throw AdminFailure("\(file) must contain one secret") }
    self = secret
  }

  /// Returns the secrets of a file, one on each line.
  static func secrets(inFile file: String) throws -> [WebhookSecret] {
    try TextFile.read(file).split(whereSeparator: \.isNewline).map { line in
      do throws(WebhookSecretError) { return try WebhookSecret(String(line)) } catch {
        throw AdminFailure("\(file): \(error.description)")
      }
    }
  }
}
