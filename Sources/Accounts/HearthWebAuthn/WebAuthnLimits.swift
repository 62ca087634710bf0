/// The limits for data from authenticators and browsers.
public enum WebAuthnLimits {
  /// The client data, the browser's JSON.
  public static let clientDataBytesMax = 4 << 10
  /// The attestation object of a new key, with the certificates in it.
  public static let attestationObjectBytesMax = 16 << 10
  /// The authenticator data, new keys' or of a sign-in.
  public static let authenticatorDataBytesMax = 4 << 10
  /// A signature.
  public static let signatureBytesMax = 1 << 10
  /// The credential id, as limited by WebAuthn.
  public static let credentialIDBytesMax = 1_023
  /// The nesting of CBOR containers, as limited by CTAP2.
  public static let nestingMax = 4
}
