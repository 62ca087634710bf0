/// The bounds of asking a blocking function.
public enum BlockingFunctionLimits {
  /// For everything together: the connection, the function's own look at our certificates, its work and its answer. The
  /// service's own functions get as long.
  public static let timeoutSeconds = 7
  /// A longer answer refuses the sign-in.
  public static let answerBytesMax = 65_536
  /// How much of a refusal's text the client is shown.
  public static let refusalBytesMax = 2_048
  /// The life of a request's token.
  public static let tokenLifetimeSeconds: Int64 = 60
  /// So far back the token's time of issue is put: functions in Python allow for no difference of the clocks.
  public static let backdatedSeconds: Int64 = 10
  /// Functions asked at once. Each waits for its answer on a thread.
  public static let slots = 32
}
