/// The ids of sessions, which clients send when they reconnect.
enum SessionIDGenerator {
  static let length = 32
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

  /// Returns a new, unguessable id: 190 bits of the system's randomness, in letters that need no escape in a URL.
  static func make() -> String {
    var random = SystemRandomNumberGenerator()
    let letters = (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
    return String(decoding: letters, as: UTF8.self)
  }
}
