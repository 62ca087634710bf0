/// The metrics of accounts, plugins and triggers.
extension MetricDescription {
  /// The number of requests about accounts, including sign-ins.
  public static let identityRequests = MetricDescription(
    "hearth_identity_requests_total", .counter, labels: ["operation", "outcome"],
    "Requests to the identity endpoints, such as sign-ins, by operation and error code.")
  /// Unanswered requests about accounts.
  public static let identityInFlight = MetricDescription(
    "hearth_identity_requests_in_flight", .gauge, "Requests to the identity endpoints that are in progress.")
  /// The number of password hashes that can be computed at a time.
  public static let hashSlots = MetricDescription(
    "hearth_password_hash_slots", .gauge, "Maximum number of password hashes that are computed at the same time.")
  /// The number of password hashes that are being computed.
  public static let hashesRunning = MetricDescription(
    "hearth_password_hashes_running", .gauge, "Password hashes in computation.")
  /// The number of password hashes that wait to be computed.
  public static let hashesWaiting = MetricDescription(
    "hearth_password_hashes_waiting", .gauge, "Password hashes that wait for a slot.")
  /// The number of password hashes that were refused because too many waited.
  public static let hashesRefused = MetricDescription(
    "hearth_password_hashes_refused_total", .counter, "Password hashes that were refused because the queue was full.")
  /// Mails and text messages.
  public static let messagesSent = MetricDescription(
    "hearth_messages_sent", .gauge, labels: ["bound"],
    "Mails or text messages sent within the period of a limit; for per-country limits, those to the country with the most."
  )
  /// The limits on mails and text messages.
  public static let messagesMax = MetricDescription(
    "hearth_messages_max", .gauge, labels: ["bound"],
    "Mails or text messages that a limit allows within its period.")

  /// The state of a plugin.
  public static let pluginUp = MetricDescription(
    "hearth_plugin_up", .gauge, labels: ["plugin"], "1 while the plugin answers, 0 while it does not.")
  /// Requests to plugins.
  public static let pluginRequests = MetricDescription(
    "hearth_plugin_requests_total", .counter, labels: ["plugin", "hook"],
    "Requests to a plugin since its last start.")
  /// Failed requests to plugins.
  public static let pluginFailures = MetricDescription(
    "hearth_plugin_failures_total", .counter, labels: ["plugin", "hook"],
    "Requests to a plugin that failed or got no response.")
  /// Requests that were not sent to a plugin.
  public static let pluginRefused = MetricDescription(
    "hearth_plugin_refused_total", .counter, labels: ["plugin"],
    "Requests that were not sent to a plugin, because too many waited or one waited for too long.")
  /// Starts of plugins.
  public static let pluginRestarts = MetricDescription(
    "hearth_plugin_restarts_total", .counter, labels: ["plugin"],
    "Restarts of a plugin's process; for a service, the number of times that it became reachable again.")
  /// The response time of plugins.
  public static let pluginLatency = MetricDescription(
    "hearth_plugin_recent_seconds", .gauge, labels: ["plugin", "hook", "percent"],
    "Percentile of the response times of the last 1,024 requests to a plugin.")

  /// Events that wait to be sent.
  public static let triggerWaiting = MetricDescription(
    "hearth_trigger_waiting_events", .gauge, labels: ["trigger"], "Events that wait to be sent.")
  /// The bytes of waiting events.
  public static let triggerWaitingBytes = MetricDescription(
    "hearth_trigger_waiting_bytes", .gauge, labels: ["trigger"], "Bytes of the events that wait to be sent.")
  /// Events being sent.
  public static let triggerInFlight = MetricDescription(
    "hearth_trigger_in_flight_events", .gauge, labels: ["trigger"], "Events that were sent and have no response yet.")
  /// The state of a trigger's receiver.
  public static let triggerUp = MetricDescription(
    "hearth_trigger_up", .gauge, labels: ["trigger"],
    "1 while events are sent, 0 while the trigger is paused or its receiver cannot be reached.")
  /// Requests to a trigger's receiver, by outcome.
  public static let triggerAttempts = MetricDescription(
    "hearth_trigger_attempts_total", .counter, labels: ["trigger", "outcome"],
    "Requests to the receiver of a trigger, by outcome.")
  /// Events that became dead letters.
  public static let triggerDead = MetricDescription(
    "hearth_trigger_dead_letters_total", .counter, labels: ["trigger"], "Events that became dead letters.")

  static let ofAccounts: [MetricDescription] = [
    identityRequests, identityInFlight, hashSlots, hashesRunning, hashesWaiting, hashesRefused, messagesSent,
    messagesMax, pluginUp,
    pluginRequests, pluginFailures, pluginRefused, pluginRestarts, pluginLatency, triggerWaiting, triggerWaitingBytes,
    triggerInFlight, triggerUp, triggerAttempts, triggerDead,
  ]
}
