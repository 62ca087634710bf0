/// The bounds of the data model, each with its reason.
///
/// Transports have additional bounds (for frames, bodies and URLs); the bounds here apply to data and paths from every
/// source.
public enum DataLimits {
  /// Keys from the root down to a leaf. The maximum is the documented depth of the Firebase service; it also bounds
  /// every recursion over data.
  public static let depthMax = 32

  /// UTF-8 bytes of one key, as documented for the Firebase service. Clients apply the same limit to a whole path;
  /// servers need not.
  public static let keySizeBytesMax = 768

  /// UTF-8 bytes of one string leaf, as documented for the Firebase service (10 MiB).
  public static let stringSizeBytesMax = 10_485_760

  /// Nested containers in any JSON text. Data needs 32, its metadata objects two more and a message around it three;
  /// the rest is for token claims.
  public static let nestingMax = 64

  /// Bytes of one number's text. 767 digits distinguish any two doubles; a longer text would only cost time.
  public static let numberSizeBytesMax = 1024

  /// Leaves, priorities not counted, in one written value. The smallest leaf takes two bytes of text and about forty
  /// bytes of memory while it is read, so the text's size alone would not bound the memory.
  public static let leavesMax = 10_000_000

  /// Server values in one write. Each is replaced individually when the write is decided, which takes a few
  /// microseconds in which the database decides no other request.
  public static let deferredValuesMax = 16_384

  /// Paths in one multi-path update. Each takes about 200 bytes of memory until the write is decided.
  public static let mergePathsMax = 100_000

  /// Values in one general JSON text (claims, query objects), which takes up to 40 bytes of memory per value.
  public static let generalValuesMax = 100_000

  /// Bytes of one response to a read, as documented for the Firebase service.
  public static let readSizeBytesMax = 256 * 1_048_576

  /// Bytes of one event of a stream, as documented for the Firebase service.
  public static let eventSizeBytesMax = 512 * 1_048_576
}
