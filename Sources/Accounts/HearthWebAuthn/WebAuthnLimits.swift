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
  /// The id of a key, as WebAuthn has it.
  public static let credentialIDBytesMax = 1_023
  /// Containers inside containers of CBOR, as CTAP2 has it.
  public static let nestingMax = 4
}
