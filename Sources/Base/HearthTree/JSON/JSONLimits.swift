/// The limits of a ``JSONReader``. The standard is ``DataLimits``; tests and tools set smaller ones.
public struct JSONLimits: Sendable {
  /// The limits for clients' data.
  public static let standard = JSONLimits()

  /// The number of keys from the root to a leaf of tree data.
  public var depthMax = DataLimits.depthMax
  /// The number of nested containers, in data or metadata.
  public var nestingMax = DataLimits.nestingMax
  /// The size of a key in UTF-8 bytes.
  public var keySizeBytesMax = DataLimits.keySizeBytesMax
  /// The size of a string in UTF-8 bytes.
  public var stringSizeBytesMax = DataLimits.stringSizeBytesMax
  /// The number of characters of a number.
  public var numberSizeBytesMax = DataLimits.numberSizeBytesMax
  /// The number of leaves of one value.
  public var leavesMax = DataLimits.leavesMax
  /// The number of server values in one write.
  public var deferredValuesMax = DataLimits.deferredValuesMax
  /// The number of paths in one merge.
  public var mergePathsMax = DataLimits.mergePathsMax
  /// The number of values in JSON that is not tree data.
  public var generalValuesMax = DataLimits.generalValuesMax

  /// Creates the standard limits.
  public init() {}
}
