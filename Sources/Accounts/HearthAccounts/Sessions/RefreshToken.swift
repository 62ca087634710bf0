import HearthBytes
import HearthCrypto

/// A refresh token: 256 random bits, followed by a sealed ``Origin``. Only its SHA-256 is stored.
///
/// The sealed part is not used while the session exists. Afterwards it distinguishes a token that was once valid from an invented
/// one: only for the former the server reports the error on which clients sign out.
struct RefreshToken: Sendable {
  /// The prefix by which secret scanners recognise the token.
  static let prefix = "hearth_refresh_"
  private static let randomTextLength = 43
  private static let purpose = "refresh-token"

  let text: String

  /// The key of the session.
  var hash: Digest { Digest(sha256: text.utf8) }

  /// The content of the sealed part.
  struct Origin: Sendable, Equatable {
    var uid: String
    var family: String
    var generation: Int64
  }

  init(uid: String, family: String, generation: Int64, keys: KeyRing, random: RandomBytes) throws(RandomnessError) {
    let origin = "\(generation) \(family) \(uid)"
    text =
      Self.prefix + Base64URL.encode(try random.bytes(32)) + (try keys.seal(Array(origin.utf8), for: Self.purpose))
  }

  /// Returns the origin of a token of this server; nil for any other text.
  static func origin(of text: String, keys: KeyRing) -> Origin? {
    guard text.hasPrefix(prefix) else { return nil }
    let sealed = text.utf8.dropFirst(prefix.utf8.count + randomTextLength)
    guard !sealed.isEmpty, let sealedText = String(sealed), let bytes = keys.unseal(sealedText, for: purpose) else {
      return nil
    }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let generation = Int64(parts[0]) else { return nil }
    return Origin(uid: String(parts[2]), family: String(parts[1]), generation: generation)
  }
}
