/// The metrics of databases.
extension MetricDescription {
  /// Requests to write, by outcome.
  public static let writes = MetricDescription(
    "hearth_writes_total", .counter, labels: ["outcome"],
    "Write requests to all databases, by outcome; written means durable.")
  /// Requests to listen, by outcome.
  public static let listenRequests = MetricDescription(
    "hearth_listen_requests_total", .counter, labels: ["outcome"],
    "Listen requests to all databases, by the decision of the rules.")
  /// Records in the journals.
  public static let commits = MetricDescription(
    "hearth_commits_total", .counter, "Commits that the journals of all databases have stored.")
  /// Bytes in the journals.
  public static let journalWritten = MetricDescription(
    "hearth_journal_written_bytes_total", .counter, "Bytes of records appended to journals.")
  /// The time in which the engine decides a batch.
  public static let decide = MetricDescription(
    "hearth_decide_seconds", .histogram(bounds: MetricBuckets.seconds), "Time to decide a batch of commands."
  )
  /// The time of an append to the journal, which is shared by batches.
  public static let sync = MetricDescription(
    "hearth_sync_seconds", .histogram(bounds: MetricBuckets.seconds),
    "Time to make the batches of one append durable.")
  /// The time in which an event loop delivers a batch.
  public static let deliver = MetricDescription(
    "hearth_deliver_seconds", .histogram(bounds: MetricBuckets.seconds),
    "Time from the hand-over of effects to an event loop until they were written to its sockets.")
  /// The total time for a batch, from the arrival of its first command to its delivery.
  public static let commandLatency = MetricDescription(
    "hearth_command_seconds", .histogram(bounds: MetricBuckets.seconds),
    "Time from the arrival of a batch's oldest command until the effects were written to sockets."
  )
  /// The number of commands in a batch.
  public static let batchCommands = MetricDescription(
    "hearth_batch_commands", .histogram(bounds: MetricBuckets.sizes), "Commands per batch.")
  /// The number of batches in a sync.
  public static let syncBatches = MetricDescription(
    "hearth_sync_batches", .histogram(bounds: MetricBuckets.sizes), "Batches per append.")

  /// The state of a database.
  public static let databaseUp = MetricDescription(
    "hearth_database_up", .gauge, labels: ["database"], "1 while the database accepts writes, 0 while it cannot.")
  /// The connections of a database.
  public static let databaseConnections = MetricDescription(
    "hearth_database_connections", .gauge, labels: ["database"], "Connections that use the database.")
  /// Listens with a grant.
  public static let listens = MetricDescription(
    "hearth_listens", .gauge, labels: ["database"], "Active listens.")
  /// Commands that wait for a decision.
  public static let commandsWaiting = MetricDescription(
    "hearth_commands_waiting", .gauge, labels: ["database"], "Commands that wait to be decided.")
  /// The bytes of waiting commands.
  public static let commandsWaitingBytes = MetricDescription(
    "hearth_commands_waiting_bytes", .gauge, labels: ["database"], "Bytes of the commands that wait to be decided.")
  /// Commands that wait for a large write.
  public static let largeWriteWaiting = MetricDescription(
    "hearth_large_write_waiting", .gauge, labels: ["database"], "Commands that wait for a large write.")
  /// Batches that wait for the disk.
  public static let batchesWaiting = MetricDescription(
    "hearth_batches_waiting", .gauge, labels: ["database"], "Batches that wait for the disk.")
  /// The size of the log since the last snapshot.
  public static let journalBytes = MetricDescription(
    "hearth_journal_bytes", .gauge, labels: ["database"],
    "Bytes of records since the last snapshot or checkpoint, which a restart replays.")
  /// The size of the snapshot.
  public static let snapshotBytes = MetricDescription(
    "hearth_snapshot_bytes", .gauge, labels: ["database"], "Bytes of the last snapshot; 0 before the first.")
  /// The position of the log.
  public static let position = MetricDescription(
    "hearth_database_position", .gauge, labels: ["database"], "Position of the last durable commit.")
  /// The memory that the data takes.
  public static let treeBytes = MetricDescription(
    "hearth_tree_bytes", .gauge, labels: ["database"],
    "Bytes of memory that the data takes when none of it is on the disk alone.")
  /// The number of values in the data.
  public static let treeLeaves = MetricDescription(
    "hearth_tree_leaves", .gauge, labels: ["database"], "Values in the database.")

  /// The memory for a database's stored pages.
  public static let pageBytes = MetricDescription(
    "hearth_page_bytes", .gauge, labels: ["database"],
    "Bytes of stored pages in memory, limited by --cache-size; no series for a database whose data is in memory.")
  /// The memory for pages that no checkpoint has stored.
  public static let pageDirtyBytes = MetricDescription(
    "hearth_page_dirty_bytes", .gauge, labels: ["database"],
    "Approximate bytes of pages in memory that the next checkpoint stores.")
  /// The reads of pages.
  public static let pageReads = MetricDescription(
    "hearth_page_reads_total", .counter, labels: ["database"], "Pages that were read from files.")
  /// The failed reads of pages.
  public static let pageReadFailures = MetricDescription(
    "hearth_page_read_failures_total", .counter, labels: ["database"], "Reads of pages that failed.")
  /// The size of a database's page files.
  public static let pageFileBytes = MetricDescription(
    "hearth_page_file_bytes", .gauge, labels: ["database"], "Bytes of the page files in use.")
  /// The bytes of page files that hold no live page.
  public static let pageDeadBytes = MetricDescription(
    "hearth_page_dead_bytes", .gauge, labels: ["database"],
    "Estimated bytes of the page files with overwritten and deleted data, which cleaning makes free.")
  /// The bytes of page files that stay for the history.
  public static let pageHistoryBytes = MetricDescription(
    "hearth_page_history_bytes", .gauge, labels: ["database"],
    "Bytes of page files that the present data does not need, and that stay for the history or until a reader ends.")
  /// The bytes of page files that were removed.
  public static let pageCleanedBytes = MetricDescription(
    "hearth_page_cleaned_bytes_total", .counter, labels: ["database"],
    "Bytes of page files that cleaning has removed since the database was opened.")
  /// The size of a checkpoint.
  public static let checkpointBytes = MetricDescription(
    "hearth_checkpoint_bytes", .gauge, labels: ["database"], "Bytes that the last checkpoint wrote.")
  /// The duration of a checkpoint.
  public static let checkpointSeconds = MetricDescription(
    "hearth_checkpoint_seconds", .gauge, labels: ["database"], "Duration of the last checkpoint.")

  /// The quotas of a database.
  public static let quota = MetricDescription(
    "hearth_quota", .gauge, labels: ["database", "quota"],
    "Limit of a quota of the database; no series without a limit."
  )
  /// Refusals because of a quota.
  public static let quotaRefusals = MetricDescription(
    "hearth_quota_refusals_total", .counter, labels: ["database", "quota"],
    "Requests that were refused because a quota of the database was used up.")

  /// Waits of clients that exceeded their allowance of work.
  public static let workWaits = MetricDescription(
    "hearth_work_waits_total", .counter, labels: ["database"],
    "Number of times that a client had to wait because its work exceeded its allowance.")

  static let ofDatabases: [MetricDescription] = [
    writes, listenRequests, commits, journalWritten, decide, sync, deliver, commandLatency, batchCommands, syncBatches,
    databaseUp, databaseConnections, listens, commandsWaiting, commandsWaitingBytes, largeWriteWaiting, batchesWaiting,
    journalBytes, snapshotBytes, position, treeBytes, treeLeaves, pageBytes, pageDirtyBytes, pageReads,
    pageReadFailures, pageFileBytes, pageDeadBytes, pageHistoryBytes, pageCleanedBytes,
    checkpointBytes, checkpointSeconds,
    quota, quotaRefusals, workWaits,
  ]
}
