/// The metrics of accounts, plugins and triggers.
extension MetricDescription {
  /// The number of requests about accounts, including sign-ins.
  public static let identityRequests = MetricDescription(
    "hearth_identity_requests_total", .counter, labels: ["operation", "outcome"],
    "Requests to the identity endpoints, such as sign-ins, by what they asked for and the error code of the answer.")
  /// Unanswered requests about accounts.
  public static let identityInFlight = MetricDescription(
    "hearth_identity_requests_in_flight", .gauge, "Requests to the identity endpoints that are not answered yet.")
  /// The number of password hashes that can be computed at a time.
  public static let hashSlots = MetricDescription(
    "hearth_password_hash_slots", .gauge, "Password hashes that may be computed at once.")
  /// The number of password hashes that are being computed.
  public static let hashesRunning = MetricDescription(
    "hearth_password_hashes_running", .gauge, "Password hashes that are being computed.")
  /// The number of password hashes that wait to be computed.
  public static let hashesWaiting = MetricDescription(
    "hearth_password_hashes_waiting", .gauge, "Password hashes that wait for a slot.")
  /// The number of password hashes that were refused because too many waited.
  public static let hashesRefused = MetricDescription(
    "hearth_password_hashes_refused_total", .counter, "Password hashes that were refused because too many waited.")
  /// Mails and text messages.
  public static let messagesSent = MetricDescription(
    "hearth_messages_sent", .gauge, labels: ["bound"],
    "Mails or text messages that were sent within the period of a bound; of countries, to the one that has most.")
  /// The limits on mails and text messages.
  public static let messagesMax = MetricDescription(
    "hearth_messages_max", .gauge, labels: ["bound"],
    "Mails or text messages that may be sent within the period of a bound.")

  /// The state of a plugin.
  public static let pluginUp = MetricDescription(
    "hearth_plugin_up", .gauge, labels: ["plugin"], "1 while the plugin answers, 0 while it does not.")
  /// Requests to plugins.
  public static let pluginRequests = MetricDescription(
    "hearth_plugin_requests_total", .counter, labels: ["plugin", "hook"],
    "What a plugin was asked since it was last put in place.")
  /// Failed requests to plugins.
  public static let pluginFailures = MetricDescription(
    "hearth_plugin_failures_total", .counter, labels: ["plugin", "hook"],
    "What a plugin was asked and gave no answer to.")
  /// Requests that were not sent to a plugin.
  public static let pluginRefused = MetricDescription(
    "hearth_plugin_refused_total", .counter, labels: ["plugin"],
    "Requests that were not sent to a plugin, because too many waited or one waited for too long.")
  /// Starts of plugins.
  public static let pluginRestarts = MetricDescription(
    "hearth_plugin_restarts_total", .counter, labels: ["plugin"],
    "Processes of a plugin that were started again; of a service, how often it was there again.")
  /// The response time of plugins.
  public static let pluginLatency = MetricDescription(
    "hearth_plugin_recent_seconds", .gauge, labels: ["plugin", "hook", "percent"],
    "Time that so many percent of the last 1,024 questions to a plugin stayed within.")

  /// Events that wait to be sent.
  public static let triggerWaiting = MetricDescription(
    "hearth_trigger_waiting_events", .gauge, labels: ["trigger"], "Events that wait to be sent.")
  /// The bytes of waiting events.
  public static let triggerWaitingBytes = MetricDescription(
    "hearth_trigger_waiting_bytes", .gauge, labels: ["trigger"], "Bytes of the events that wait to be sent.")
  /// Events being sent.
  public static let triggerInFlight = MetricDescription(
    "hearth_trigger_in_flight_events", .gauge, labels: ["trigger"], "Events whose handler has not answered yet.")
  /// The state of a trigger's receiver.
  public static let triggerUp = MetricDescription(
    "hearth_trigger_up", .gauge, labels: ["trigger"],
    "1 while events are sent, 0 while the trigger is paused or its receiver cannot be reached.")
  /// Requests to a trigger's receiver, by outcome.
  public static let triggerAttempts = MetricDescription(
    "hearth_trigger_attempts_total", .counter, labels: ["trigger", "outcome"],
    "Requests to the receiver of a trigger, by what became of them.")
  /// Events that became dead letters.
  public static let triggerDead = MetricDescription(
    "hearth_trigger_dead_letters_total", .counter, labels: ["trigger"], "Events that were given up.")

  static let ofAccounts: [MetricDescription] = [
    identityRequests, identityInFlight, hashSlots, hashesRunning, hashesWaiting, hashesRefused, messagesSent,
    messagesMax, pluginUp,
    pluginRequests, pluginFailures, pluginRefused, pluginRestarts, pluginLatency, triggerWaiting, triggerWaitingBytes,
    triggerInFlight, triggerUp, triggerAttempts, triggerDead,
  ]
}
