/// The limits for calling a blocking function.
public enum BlockingFunctionLimits {
  /// The time limit for the connection, the function's fetch of this server's certificates, its work and its response
  /// together. Firebase has the same limit.
  public static let timeoutSeconds = 7
  /// The largest response in bytes; a longer one refuses the sign-in.
  public static let answerBytesMax = 65_536
  /// The longest part of a refusal's text that the client is shown.
  public static let refusalBytesMax = 2_048
  /// The lifetime of a request's token in seconds.
  public static let tokenLifetimeSeconds: Int64 = 60
  /// The seconds by which the token's time of issue is backdated: functions in Python tolerate no clock difference.
  public static let backdatedSeconds: Int64 = 10
  /// The maximum number of concurrent calls of functions. Each waits for its response on a thread.
  public static let slots = 32
}
