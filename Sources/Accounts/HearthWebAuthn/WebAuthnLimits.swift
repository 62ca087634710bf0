/// The limits for data from authenticators and browsers.
public enum WebAuthnLimits {
  /// The maximum size of the client data, the browser's JSON, in bytes.
  public static let clientDataBytesMax = 4 << 10
  /// The maximum size of a new key's attestation object, with the certificates in it, in bytes.
  public static let attestationObjectBytesMax = 16 << 10
  /// The maximum size of the authenticator data, of a registration or a sign-in, in bytes.
  public static let authenticatorDataBytesMax = 4 << 10
  /// The maximum size of a signature, in bytes.
  public static let signatureBytesMax = 1 << 10
  /// The maximum length of a credential id, as WebAuthn limits it, in bytes.
  public static let credentialIDBytesMax = 1_023
  /// The maximum nesting of CBOR containers, as CTAP2 limits it.
  public static let nestingMax = 4
}
