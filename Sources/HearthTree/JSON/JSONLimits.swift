/// What a ``JSONReader`` accepts. The standard is ``DataLimits``; tests and tools narrow it.
public struct JSONLimits: Sendable {
  public static let standard = JSONLimits()

  /// Keys from the root to a leaf of tree data.
  public var depthMax = DataLimits.depthMax
  /// Containers inside containers, whatever they mean.
  public var nestingMax = DataLimits.nestingMax
  public var keySizeBytesMax = DataLimits.keySizeBytesMax
  public var stringSizeBytesMax = DataLimits.stringSizeBytesMax
  public var numberSizeBytesMax = DataLimits.numberSizeBytesMax
  public var leavesMax = DataLimits.leavesMax
  public var deferredValuesMax = DataLimits.deferredValuesMax
  public var mergePathsMax = DataLimits.mergePathsMax
  public var generalValuesMax = DataLimits.generalValuesMax

  public init() {}
}
