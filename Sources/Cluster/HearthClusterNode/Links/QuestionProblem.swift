import HearthCluster

/// The reason why a node that was asked something gave no answer.
package enum QuestionProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no connection to it. Nothing was sent.
  case notConnected
  /// The question is larger than ``ClusterLimits/questionBytesMax``. Nothing was sent.
  case tooLarge(bytes: Int)
  /// Too many questions to it wait for their answers, or too much waits to be sent. Nothing was sent.
  case crowded
  /// It does not answer this one.
  case refused(LinkRefusal)
  /// The connection ended before an answer came.
  case ended(LinkProblem)
  /// No answer came in time. One that comes later is dropped.
  case late(seconds: Int)

  /// True when the node may have done what it was asked for: nobody here knows.
  package var mayHaveBeenDone: Bool {
    switch self {
    case .notConnected, .tooLarge, .crowded, .refused(.unattended), .refused(.crowded): false
    case .refused(.failed), .refused(.noRoom), .ended, .late: true
    }
  }

  package var description: String {
    let what =
      switch self {
      case .notConnected: "there is no connection to the node"
      case .tooLarge(let bytes): "a question of \(bytes) bytes is larger than a message"
      case .crowded: "too many questions to the node wait for their answers"
      case .refused(let refusal): refusal.description
      case .ended(let problem): "the connection ended: \(problem)"
      case .late(let seconds): "no answer came within \(seconds) s"
      }
    return mayHaveBeenDone ? what + "; what was asked for may have been done" : what
  }
}
