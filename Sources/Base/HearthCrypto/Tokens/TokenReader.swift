import HearthBytes

/// The reason why a text is not a token.
public struct TokenSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A description of the fault; contains no part of the token.
  public var reason: String
  public var description: String { reason }
}

/// A strict reader of tokens in the compact form `header.payload.signature`.
///
/// Every verifier uses this reader, so that tokens with details that libraries ignore (padding, a second `alg`, a
/// critical extension, bytes after the signature) are refused before a library is called.
public enum TokenReader {
  /// Header members that change the meaning of a signature or the source of its key. Tokens with any of them are
  /// refused.
  private static let refusedHeaders = ["crit", "b64", "zip", "jku", "jwk", "x5u", "x5c"]

  /// - Parameter sizeBytesMax: Longer texts are refused before anything is copied.
  public static func read(
    _ text: String, sizeBytesMax: Int = TokenLimits.tokenBytesMax
  ) throws(TokenSyntaxError) -> UnverifiedToken {
    guard text.utf8.count <= sizeBytesMax else { throw TokenSyntaxError(reason: "the token is too long") }
    let bytes = Array(text.utf8)
    let dots = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
    guard dots.count == 2 else { throw TokenSyntaxError(reason: "a token must have two dots") }
    let header = try object(bytes[..<dots[0]], name: "header")
    let payload = try object(bytes[(dots[0] + 1)..<dots[1]], name: "payload")
    guard let signature = Base64URL.decode(bytes[(dots[1] + 1)...]) else {
      throw TokenSyntaxError(reason: "signature is not canonical base64url")
    }
    guard let algorithm = header["alg"]?.string else { throw TokenSyntaxError(reason: "header has no alg") }
    if let type = header["typ"] {
      guard let type = type.string, type.lowercased() == "jwt" else {
        throw TokenSyntaxError(reason: "typ in the header must be JWT")
      }
    }
    for name in refusedHeaders where header[name] != nil {
      throw TokenSyntaxError(reason: "header member \(name) is not allowed")
    }
    return UnverifiedToken(
      text: text, header: header, payload: payload, algorithm: algorithm, signedBytes: Array(bytes[..<dots[1]]),
      signature: signature)
  }

  /// Reads a token for verifiers, and throws an error for an invalid credential when the text is not a token.
  static func readCredential(
    _ text: String, sizeBytesMax: Int = TokenLimits.tokenBytesMax
  ) throws(CredentialError) -> UnverifiedToken {
    do {
      return try read(text, sizeBytesMax: sizeBytesMax)
    } catch {
      throw .invalid(error.reason)
    }
  }

  private static func object(_ segment: ArraySlice<UInt8>, name: String) throws(TokenSyntaxError) -> ClaimValue {
    guard !segment.isEmpty, let json = Base64URL.decode(segment) else {
      throw TokenSyntaxError(reason: "\(name) is not canonical base64url")
    }
    let value: ClaimValue
    do {
      value = try ClaimValue(json: json)
    } catch {
      throw TokenSyntaxError(reason: "\(name): \(error)")
    }
    guard case .object = value else { throw TokenSyntaxError(reason: "\(name) is not an object") }
    return value
  }
}
