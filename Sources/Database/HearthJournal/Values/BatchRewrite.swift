/// The new content of a batch that is rewritten.
public struct BatchRewrite: Sendable, Equatable {
  /// The new payload; nil to keep the present one.
  public var payload: [UInt8]?

  /// True when the batch is valid by itself. A batch that is not is written together with the batches after it, up to
  /// the next complete one, in one atomic step.
  public var isComplete: Bool

  /// Creates a rewrite, which by default keeps the batch.
  public init(payload: [UInt8]? = nil, isComplete: Bool = true) {
    (self.payload, self.isComplete) = (payload, isComplete)
  }
}
