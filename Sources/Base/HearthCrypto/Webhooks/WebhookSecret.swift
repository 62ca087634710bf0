import HearthBytes

/// A secret with which requests to other programs are signed, by the Standard Webhooks specification: `whsec_` and 24
/// to 64 bytes in base64.
public struct WebhookSecret: Sendable, Equatable {
  private static let prefix = "whsec_"
  /// The permitted sizes of a secret in bytes, by the specification.
  public static let sizesBytes = 24...64

  private let key: [UInt8]

  /// The text as it is configured and stored. It is secret and must not be logged.
  public var text: String { Self.prefix + Base64.encode(key) }

  /// Reads a secret.
  ///
  /// - Throws: ``WebhookSecretError``, which does not contain the text.
  public init(_ text: String) throws(WebhookSecretError) {
    guard text.hasPrefix(Self.prefix), let key = Base64.decodeLenient(text.utf8.dropFirst(Self.prefix.utf8.count)),
      Self.sizesBytes.contains(key.count)
    else { throw WebhookSecretError() }
    self.key = key
  }

  /// Creates a new secret of 32 bytes.
  public init(random: RandomBytes) throws(RandomnessError) { key = try random.bytes(32) }

  public static func == (left: WebhookSecret, right: WebhookSecret) -> Bool { ConstantTime.equal(left.key, right.key) }

  /// Returns the header fields of one request: `webhook-id`, `webhook-timestamp` and, with one signature for each
  /// secret, `webhook-signature`. Without secrets, there is no signature.
  ///
  /// - Parameters:
  /// - id: The message's ID, which is the same for every attempt.
  /// - seconds: The time of the attempt, in seconds since 1970.
  public static func headers(
    _ secrets: [WebhookSecret], id: String, seconds: Int64, body: [UInt8]
  ) -> [(name: String, value: String)] {
    let named = [(name: "webhook-id", value: id), (name: "webhook-timestamp", value: "\(seconds)")]
    return named + (signatures(secrets, id: id, seconds: seconds, body: body).map { [("webhook-signature", $0)] } ?? [])
  }

  /// Returns the value of `webhook-signature`: one signature for each secret; nil when there are no secrets.
  ///
  /// - Parameter seconds: `webhook-timestamp`, the time of the attempt.
  public static func signatures(
    _ secrets: [WebhookSecret], id: String, seconds: Int64, body: [UInt8]
  ) -> String? {
    let signed = Array("\(id).\(seconds).".utf8) + body
    let texts = secrets.compactMap { secret in
      MessageAuthenticationCode.hmacSHA256(signed, key: secret.key).map { "v1," + Base64.encode($0) }
    }
    return texts.isEmpty ? nil : texts.joined(separator: " ")
  }
}

extension WebhookSecret: CustomStringConvertible, CustomReflectable {
  public var description: String { "<WebhookSecret>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The error for a text that is not a ``WebhookSecret``. It does not contain the text.
public struct WebhookSecretError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The format of a secret.
  public var description: String { "a secret must be whsec_ and 24 to 64 bytes in Base64" }
}
