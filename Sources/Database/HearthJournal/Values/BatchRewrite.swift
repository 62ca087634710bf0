/// What becomes of a batch whose content is written anew.
public struct BatchRewrite: Sendable, Equatable {
  /// What it holds from now on; nil for what it holds already.
  public var payload: [UInt8]?

  /// True when it stands for itself. The batches up to the next one that does are written together with it, in one step
  /// that is done or not done.
  public var isComplete: Bool

  /// A batch that is written anew, or left as it is.
  public init(payload: [UInt8]? = nil, isComplete: Bool = true) {
    (self.payload, self.isComplete) = (payload, isComplete)
  }
}
