/// The metrics of clients.
extension MetricDescription {
  /// TCP connections.
  public static let connections = MetricDescription(
    "hearth_connections", .gauge, "Connections over TCP and over the data folder's socket, of any kind.")
  /// Client sessions.
  public static let clients = MetricDescription(
    "hearth_clients", .gauge, labels: ["kind"],
    "Clients that are told of changes: sessions over sockets and long polls, and streams.")
  /// Clients that are signed in.
  public static let signedInClients = MetricDescription(
    "hearth_signed_in_clients", .gauge, "Clients that are told of changes and have shown a credential.")
  /// Clients whose input is paused.
  public static let pausedClients = MetricDescription(
    "hearth_paused_clients", .gauge, "Clients that are read no further until a database has caught up.")
  /// Requests that wait for an answer.
  public static let requestsWaiting = MetricDescription(
    "hearth_requests_waiting", .gauge, "Requests over HTTP that wait for the answer of a database.")
  /// Recipients of effects that wait for delivery.
  public static let recipientsWaiting = MetricDescription(
    "hearth_recipients_waiting", .gauge, labels: ["loop"],
    "Recipients of effects that wait for the event loop.")
  /// Memory for clients.
  public static let clientMemory = MetricDescription(
    "hearth_client_memory_bytes", .gauge, "Bytes that clients make the server hold: what they send and do not take.")
  /// HTTP answers.
  public static let responses = MetricDescription(
    "hearth_http_responses_total", .counter, labels: ["code"], "Answers over HTTP, by the first digit of their status.")
  /// The delay of the event loops.
  public static let loopDelay = MetricDescription(
    "hearth_event_loop_delay_seconds", .histogram(bounds: MetricBuckets.seconds),
    "How late an event loop did what was due, looked at once a second on each.")
  /// Refused requests.
  public static let denials = MetricDescription(
    "hearth_denials_total", .counter, labels: ["database", "operation", "rule"],
    "Refusals of the rules, by the rule that decided.")
  /// Refused credentials.
  public static let credentialsRefused = MetricDescription(
    "hearth_credentials_refused_total", .counter, labels: ["class"], "Credentials that did not count.")
  /// Listens that were cancelled after a revocation.
  public static let cancellations = MetricDescription(
    "hearth_cancelled_listens_total", .counter, labels: ["cause"], "Listens that lost their permission.")
  /// Revocation receipts.
  public static let receipts = MetricDescription(
    "hearth_receipts_total", .counter, "Receipts of causes that took permissions away, which were closed.")
  /// Revocation receipts that are not complete yet.
  public static let receiptsOpen = MetricDescription(
    "hearth_receipts_open", .gauge, "Receipts that wait for clients to have been told.")

  static let ofClients: [MetricDescription] = [
    connections, clients, signedInClients, pausedClients, requestsWaiting, recipientsWaiting, clientMemory, responses,
    loopDelay, denials, credentialsRefused, cancellations, receipts, receiptsOpen,
  ]
}
