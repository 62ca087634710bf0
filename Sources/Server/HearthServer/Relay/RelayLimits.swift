/// The limits of requests that nodes of a cluster forward to each other.
enum RelayLimits {
  /// The maximum size of a forwarded request or response: the limit of messages between nodes.
  static let messageBytesMax = 15 << 20
  /// The maximum size of a target and headers, or of a response's headers. More than a client may send.
  static let headBytesMax = 256 << 10
  /// The maximum number of headers of a request or response.
  static let headersMax = 256
  /// The maximum size of a method, the id of a request, or an address.
  static let nameBytesMax = 128
  /// The maximum number of attempts to reach the owner: with the pauses, a lease and the time of a takeover.
  static let triesMax = 80
  /// The maximum number of times that an ineffective request is carried out again on the owner.
  static let roundsMax = 3
  /// The maximum number of lookups of the owner, with a pause between them, before a request is carried out again.
  static let lookupsMax = 10
  /// The pause between two attempts.
  static let pauseMilliseconds: Int64 = 100
  /// The timeout for a response: sign-ins wait for password hashes, plugins and functions.
  static let timeoutSeconds = 30
}
