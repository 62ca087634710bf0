import HearthCluster

/// The reason that a question to another node has no answer.
package enum QuestionProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The node is not connected. Nothing was sent.
  case notConnected
  /// The question is larger than ``ClusterLimits/questionBytesMax``. Nothing was sent.
  case tooLarge(bytes: Int)
  /// Too many questions to the node are pending, or too many bytes are unsent. Nothing was sent.
  case crowded
  /// The node refused the question.
  case refused(LinkRefusal)
  /// The connection ended before an answer came.
  case ended(LinkProblem)
  /// The answer did not arrive in time. A late answer is dropped.
  case late(seconds: Int)

  /// True when the question may have had its effect.
  package var mayHaveBeenDone: Bool {
    switch self {
    case .notConnected, .tooLarge, .crowded, .refused(.noHandler), .refused(.crowded): false
    case .refused(.failed), .refused(.noRoom), .ended, .late: true
    }
  }

  package var description: String {
    let what =
      switch self {
      case .notConnected: "there is no connection to the node"
      case .tooLarge(let bytes): "a request of \(bytes) bytes is too large"
      case .crowded: "too many requests to the node wait for a reply"
      case .refused(let refusal): refusal.description
      case .ended(let problem): "the connection ended: \(problem)"
      case .late(let seconds): "no reply arrived within \(seconds) s"
      }
    return mayHaveBeenDone ? what + "; the request may have been carried out" : what
  }
}
