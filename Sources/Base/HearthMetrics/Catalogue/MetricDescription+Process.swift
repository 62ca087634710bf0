/// The process's use of the machine, under the metric names that are usual for processes, and the server's own state.
extension MetricDescription {
  /// Resident memory.
  public static let residentMemory = MetricDescription(
    "process_resident_memory_bytes", .gauge, "Resident memory size in bytes.")
  /// Open files.
  public static let openFiles = MetricDescription(
    "process_open_fds", .gauge, "Number of open file descriptors.")
  /// The limit of open files.
  public static let openFilesMax = MetricDescription(
    "process_max_fds", .gauge, "Maximum number of open file descriptors.")
  /// Processor time.
  public static let processorTime = MetricDescription(
    "process_cpu_seconds_total", .counter, "Total user and system CPU time spent in seconds.")
  /// The time of the start.
  public static let startTime = MetricDescription(
    "process_start_time_seconds", .gauge, "Start time of the server since unix epoch in seconds.")
  /// The free space on the disk.
  public static let diskAvailable = MetricDescription(
    "hearth_disk_available_bytes", .gauge, "Free space on the file system of the data folder, for the server's user.")
  /// The level of the free space on the disk: see `SpaceThresholds.Level`.
  public static let diskLevel = MetricDescription(
    "hearth_disk_level", .gauge,
    "0 while there is enough free disk space, 1 below --low-space-warn, 2 below --low-space-stop, where writes are refused."
  )
  /// The expiry of the current TLS certificate.
  public static let certificateEnd = MetricDescription(
    "hearth_certificate_end_time_seconds", .gauge,
    "Expiry of the TLS certificate in use since unix epoch in seconds; with TLS only.")
  /// The time of the last backup, from `backup.json` in the data folder.
  public static let lastBackup = MetricDescription(
    "hearth_last_backup_time_seconds", .gauge,
    "Time of the data in the last backup of the data folder since unix epoch in seconds; no series before the first backup."
  )
  /// The readiness that `/.health/ready` reports.
  public static let ready = MetricDescription(
    "hearth_ready", .gauge, "1 while the server accepts requests and can write, as in /.health/ready.")
  /// The time that a scrape takes.
  public static let scrape = MetricDescription(
    "hearth_scrape_seconds", .gauge, "Time to collect these metrics.")

  static let ofProcess: [MetricDescription] = [
    residentMemory, openFiles, openFilesMax, processorTime, startTime, diskAvailable, diskLevel, certificateEnd,
    lastBackup, ready, scrape,
  ]

  /// All metrics of a server.
  public static let all: [MetricDescription] = ofDatabases + ofClients + ofAccounts + ofCluster + ofProcess
}
