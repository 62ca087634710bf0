/// The new content of a batch in a compaction.
public struct BatchRewrite: Sendable, Equatable {
  /// The new payload; nil to keep the present one.
  public var payload: [UInt8]?

  /// True when the batch is valid by itself. The batches up to the next complete one are written together with it, in
  /// one atomic step.
  public var isComplete: Bool

  /// Creates a rewrite, which by default keeps the batch.
  public init(payload: [UInt8]? = nil, isComplete: Bool = true) {
    (self.payload, self.isComplete) = (payload, isComplete)
  }
}
