/// The metrics of clients.
extension MetricDescription {
  /// TCP connections.
  public static let connections = MetricDescription(
    "hearth_connections", .gauge, "Open connections of any kind, over TCP and the data folder's socket.")
  /// Client sessions.
  public static let clients = MetricDescription(
    "hearth_clients", .gauge, labels: ["kind"],
    "Clients that receive changes: WebSocket sessions, long-polling sessions and event streams.")
  /// Clients that are signed in.
  public static let signedInClients = MetricDescription(
    "hearth_signed_in_clients", .gauge, "Clients that receive changes and have presented a credential.")
  /// Clients whose input is paused.
  public static let pausedClients = MetricDescription(
    "hearth_paused_clients", .gauge, "Clients whose input is paused until a database has caught up.")
  /// Requests that wait for an answer.
  public static let requestsWaiting = MetricDescription(
    "hearth_requests_waiting", .gauge, "HTTP requests that wait for a database.")
  /// Recipients of effects that wait for delivery.
  public static let recipientsWaiting = MetricDescription(
    "hearth_recipients_waiting", .gauge, labels: ["loop"],
    "Clients whose effects wait for the event loop.")
  /// Memory for clients.
  public static let clientMemory = MetricDescription(
    "hearth_client_memory_bytes", .gauge,
    "Bytes that the server buffers for clients: incomplete input and unsent output.")
  /// HTTP answers.
  public static let responses = MetricDescription(
    "hearth_http_responses_total", .counter, labels: ["code"], "HTTP responses, by the first digit of the status.")
  /// The delay of the event loops.
  public static let loopDelay = MetricDescription(
    "hearth_event_loop_delay_seconds", .histogram(bounds: MetricBuckets.seconds),
    "Delay of an event loop, sampled once a second on each loop.")
  /// Refused requests.
  public static let denials = MetricDescription(
    "hearth_denials_total", .counter, labels: ["database", "operation", "rule"],
    "Requests that the rules denied, by the deciding rule.")
  /// Refused credentials.
  public static let credentialsRefused = MetricDescription(
    "hearth_credentials_refused_total", .counter, labels: ["class"], "Credentials that were refused.")
  /// Listens that were cancelled after a revocation.
  public static let cancellations = MetricDescription(
    "hearth_cancelled_listens_total", .counter, labels: ["cause"],
    "Listens that were cancelled because they lost their permission.")
  /// Revocation receipts.
  public static let receipts = MetricDescription(
    "hearth_receipts_total", .counter, "Revocations whose receipt is closed.")
  /// Revocation receipts that are not complete yet.
  public static let receiptsOpen = MetricDescription(
    "hearth_receipts_open", .gauge, "Revocations whose receipt waits for clients to be notified.")

  static let ofClients: [MetricDescription] = [
    connections, clients, signedInClients, pausedClients, requestsWaiting, recipientsWaiting, clientMemory, responses,
    loopDelay, denials, credentialsRefused, cancellations, receipts, receiptsOpen,
  ]
}
