import HearthCrypto

/// A secret that requests are signed with, by the Standard Webhooks scheme: `whsec_` and 24 to 64 bytes in base64.
public struct WebhookSecret: Sendable, Equatable {
  private static let prefix = "whsec_"
  /// Bytes of a secret, as the scheme has them.
  public static let sizesBytes = 24...64

  private let key: [UInt8]

  /// The text as it is configured and kept. A secret: never for logs.
  public var text: String { Self.prefix + Base64.encode(key) }

  /// Reads a secret.
  ///
  /// - Throws: ``TriggerProblem``, which does not show it.
  public init(_ text: String) throws(TriggerProblem) {
    guard text.hasPrefix(Self.prefix), let key = Base64.decodeLenient(text.utf8.dropFirst(Self.prefix.utf8.count)),
      Self.sizesBytes.contains(key.count)
    else { throw TriggerProblem("a secret is whsec_ and 24 to 64 bytes in base64") }
    self.key = key
  }

  /// A new one of 32 bytes.
  public init(random: RandomBytes) throws(RandomnessError) { key = try random.bytes(32) }

  public static func == (left: WebhookSecret, right: WebhookSecret) -> Bool { ConstantTime.equal(left.key, right.key) }

  /// The value of `webhook-signature`: one signature for each secret; nil without any.
  ///
  /// - Parameter seconds: `webhook-timestamp`, the time of the attempt.
  public static func signatures(
    _ secrets: [WebhookSecret], id: String, seconds: Int64, body: [UInt8]
  ) -> String? {
    let signed = Array("\(id).\(seconds).".utf8) + body
    let texts = secrets.compactMap { secret in
      MessageCode.hmacSHA256(signed, key: secret.key).map { "v1," + Base64.encode($0) }
    }
    return texts.isEmpty ? nil : texts.joined(separator: " ")
  }
}

extension WebhookSecret: CustomStringConvertible, CustomReflectable {
  public var description: String { "<WebhookSecret>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
