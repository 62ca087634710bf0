/// The limits of requests that nodes of a cluster hand to each other.
enum RelayLimits {
  /// A request or an answer as one hands it to another: what a question between nodes may hold.
  static let messageBytesMax = 15 << 20
  /// A target and headers, or an answer's headers. More than a client may send.
  static let headBytesMax = 256 << 10
  /// Headers of a request or of an answer.
  static let headersMax = 256
  /// A method, the name of a request, an address.
  static let nameBytesMax = 128
  /// Until a node is reached that answers: with the pauses, a lease and what a takeover needs.
  static let triesMax = 80
  /// How often a request that changed nothing is carried out again on the node that should have changed it.
  static let roundsMax = 3
  /// Pauses before each of those.
  static let looksMax = 10
  /// Between two tries.
  static let pauseMilliseconds: Int64 = 100
  /// For an answer: sign-ins wait for password hashes, plugins and functions.
  static let timeoutSeconds = 30
}
