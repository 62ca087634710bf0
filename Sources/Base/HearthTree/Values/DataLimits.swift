/// The bounds of the data model, each with its reason.
///
/// A transport has bounds of its own (frames, bodies, URLs); these hold for data and paths of any source.
public enum DataLimits {
  /// Keys from the root down to a leaf. The service's documented depth; it also bounds every recursion here.
  public static let depthMax = 32

  /// UTF-8 bytes of one key, as documented. Clients apply the same number to a whole path; servers need not.
  public static let keySizeBytesMax = 768

  /// UTF-8 bytes of one string leaf, as documented (10 MB counted in binary).
  public static let stringSizeBytesMax = 10_485_760

  /// Nested containers in any JSON text. Data needs 32, its metadata objects two more and a message around it three;
  /// the rest is room for token claims.
  public static let nestingMax = 64

  /// Bytes of one number's text. 767 digits tell any two doubles apart; a longer text only costs time.
  public static let numberSizeBytesMax = 1024

  /// Leaves, priorities not counted, in one written value. The smallest takes two bytes of text and some forty of
  /// memory while it is read, so the text's size alone would not bound that.
  public static let leavesMax = 10_000_000

  /// Server values in one write. Each is put in its place on its own when the write is decided, which takes some
  /// microseconds during which the database decides nothing else.
  public static let deferredValuesMax = 16_384

  /// Paths in one multi-path update. Each costs some 200 bytes until the write is decided.
  public static let mergePathsMax = 100_000

  /// Values in one general JSON text (claims, query objects), which costs up to 40 bytes a value in memory.
  public static let generalValuesMax = 100_000

  /// Bytes of one answer to a read, as documented.
  public static let readSizeBytesMax = 256 * 1_048_576

  /// Bytes of one event of a stream, as documented.
  public static let eventSizeBytesMax = 512 * 1_048_576
}
