/// The limits of a ``JSONReader``. The standard is ``DataLimits``; tests and tools narrow it.
public struct JSONLimits: Sendable {
  /// The limits for clients' data.
  public static let standard = JSONLimits()

  /// Keys from the root to a leaf of tree data.
  public var depthMax = DataLimits.depthMax
  /// Nested containers, in data or metadata.
  public var nestingMax = DataLimits.nestingMax
  /// UTF-8 bytes of a key.
  public var keySizeBytesMax = DataLimits.keySizeBytesMax
  /// UTF-8 bytes of a string.
  public var stringSizeBytesMax = DataLimits.stringSizeBytesMax
  /// Characters of a number.
  public var numberSizeBytesMax = DataLimits.numberSizeBytesMax
  /// Leaves of one value.
  public var leavesMax = DataLimits.leavesMax
  /// Values of one write that the server fills in.
  public var deferredValuesMax = DataLimits.deferredValuesMax
  /// Places of one merge.
  public var mergePathsMax = DataLimits.mergePathsMax
  /// Values in JSON that is not data for the tree.
  public var generalValuesMax = DataLimits.generalValuesMax

  /// Makes the standard limits, to be narrowed.
  public init() {}
}
