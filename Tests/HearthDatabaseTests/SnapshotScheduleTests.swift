import Testing

@testable import HearthDatabase

/// Tests of when a snapshot is due, and of its limits.
@Suite struct SnapshotScheduleTests {
  private static var limits: DatabaseLimits {
    var limits = DatabaseLimits()
    (limits.snapshotIntervalBytes, limits.replayBytesPerBatch) = (1_000, 10)
    (limits.closingLogBytes, limits.closingSnapshotBytesMax) = (500, 5_000)
    return limits
  }

  private static func schedule(_ bytes: Int = 0, _ batchCount: Int = 0, snapshot: Int = 0) -> SnapshotSchedule {
    SnapshotSchedule(log: SnapshotSchedule.Log(bytes: bytes, batchCount: batchCount), snapshotBytes: snapshot)
  }

  @Test("a snapshot is due when the log takes as long to replay as the last snapshot takes to load, or a short time")
  func due() {
    let limits = Self.limits
    #expect(!Self.schedule(1_000).isDue(limits) && Self.schedule(1_001).isDue(limits))
    #expect(!Self.schedule(500, 50).isDue(limits) && Self.schedule(500, 51).isDue(limits))
    #expect(!Self.schedule(3_000, snapshot: 3_000).isDue(limits) && Self.schedule(3_001, snapshot: 3_000).isDue(limits))
  }

  @Test("with history the number of batches counts only at shutdown")
  func withHistory() {
    var limits = Self.limits
    limits.history = HistoryRetention(ageMilliseconds: 1_000, sizeBytesMax: 1_000)
    #expect(!Self.schedule(500, 51).isDue(limits) && Self.schedule(1_001).isDue(limits))
    #expect(Self.schedule(500, 51).isDueAtEnd(limits))
  }

  /// A schedule in a class, so that expectations can change it.
  private final class MutableSchedule {
    private var schedule: SnapshotSchedule
    private let limits = SnapshotScheduleTests.limits

    init(_ schedule: SnapshotSchedule) { self.schedule = schedule }

    var log: SnapshotSchedule.Log { schedule.log }
    var snapshotBytes: Int { schedule.snapshotBytes }
    var isWriting: Bool { schedule.isWriting }
    var isDue: Bool { schedule.isDue(limits) }
    var allowedBytes: Int { schedule.allowedBytes }
    var neededBytes: Int { schedule.neededBytes(limits) }
    func begin(reserveBytes: Int = 0) -> Bool { schedule.begin(reserveBytes: reserveBytes) }
    func end(_ outcome: SnapshotSchedule.Outcome) -> Bool { schedule.end(outcome, limits) }
    func setRoom(_ bytes: Int) -> Bool { schedule.setRoom(bytes, limits) }
    func take(_ bytes: Int) -> Bool { schedule.take(bytes) }
    func appended(_ bytes: Int) { schedule.appended(bytes) }
  }

  @Test("a complete snapshot reduces the counted log by its part, and later log stays counted")
  func written() {
    let schedule = MutableSchedule(Self.schedule(1_500, 3))
    #expect(schedule.begin())
    #expect(!schedule.begin())
    schedule.appended(70)
    #expect(!schedule.end(.written(sizeBytes: 1_200)))
    #expect(schedule.log == SnapshotSchedule.Log(bytes: 70, batchCount: 1))
    #expect(schedule.snapshotBytes == 1_200 && !schedule.isWriting)
  }

  @Test("after a failed snapshot the next is due after as much log again, and the whole log counts")
  func failed() {
    let schedule = MutableSchedule(Self.schedule(1_500))
    #expect(schedule.begin())
    #expect(!schedule.end(.failed))
    #expect(schedule.log.bytes == 1_500 && !schedule.isDue)
    schedule.appended(990)
    #expect(!schedule.isDue)
    schedule.appended(1)
    #expect(schedule.isDue)
  }

  @Test(
    "a snapshot without enough space is retried after a quarter of the interval more space or log; it is reported once")
  func tooLarge() {
    let schedule = MutableSchedule(Self.schedule(1_500))
    #expect(!schedule.setRoom(100))
    #expect(schedule.begin())
    #expect(schedule.end(.tooLarge(roomBytes: 100)))
    #expect(!schedule.isDue)
    #expect(!schedule.setRoom(349))
    #expect(schedule.setRoom(350))
    #expect(schedule.setRoom(.max))
    schedule.appended(241)
    #expect(schedule.isDue)
    #expect(schedule.begin())
    #expect(!schedule.end(.tooLarge(roomBytes: 350)), "the shortage was reported before")
    #expect(schedule.begin())
    #expect(!schedule.end(.written(sizeBytes: 10)))
    #expect(schedule.begin())
    #expect(schedule.end(.tooLarge(roomBytes: 0)), "a new shortage is reported")
  }

  @Test("writes use up the reserve before the free space, which later measurements replace")
  func room() {
    let schedule = MutableSchedule(Self.schedule(5_000))
    #expect(schedule.allowedBytes == .max)
    #expect(!schedule.setRoom(300))
    #expect(schedule.begin(reserveBytes: 200))
    #expect(schedule.allowedBytes == 500 && schedule.neededBytes == 5_000)
    #expect(schedule.take(150))
    #expect(schedule.take(150))
    #expect(schedule.allowedBytes == 200)
    #expect(!schedule.take(201))
    #expect(schedule.take(200))
    #expect(!schedule.take(1))
    #expect(schedule.neededBytes == 4_500)
    #expect(!schedule.setRoom(1_000))
    #expect(schedule.take(1_000))
    #expect(!schedule.take(1))
    #expect(!schedule.setRoom(.max))
    #expect(schedule.take(1 << 40))
    #expect(schedule.allowedBytes == .max && schedule.neededBytes == 0)
  }

  @Test("space is reserved when a snapshot is due soon, and not before")
  func need() {
    let limits = Self.limits
    #expect(Self.schedule(400).neededBytes(limits) == 0)
    #expect(Self.schedule(400, 11, snapshot: 600).neededBytes(limits) == 1_000)
    #expect(Self.schedule(400, 11, snapshot: 2_000).neededBytes(limits) == 0)
  }

  @Test("a checkpoint is due by commits and bytes of log, after a pause of several times the last one's duration")
  func checkpoints() {
    var limits = Self.limits
    (limits.coldReplayBytesPerCommit, limits.checkpointPauseFactor) = (100, 5)
    var schedule = SnapshotSchedule(log: SnapshotSchedule.Log(), snapshotBytes: 5_000)
    schedule.appended(200, commitCount: 9, at: 10)
    #expect(!schedule.isDue(limits, at: 10) && !schedule.isDueAtEnd(limits) && schedule.quietTime(limits) == nil)
    _ = schedule.begin()
    schedule.appended(7, commitCount: 1, at: 15)
    _ = schedule.end(.checkpointed(sizeBytes: 9_000, begin: 10, end: 30), limits)
    #expect(schedule.isPaged && schedule.snapshotBytes == 0 && schedule.isDueAtEnd(limits))
    #expect(schedule.lastCheckpoint == SnapshotSchedule.Checkpoint(sizeBytes: 9_000, milliseconds: 20))
    #expect(schedule.log == SnapshotSchedule.Log(bytes: 7, batchCount: 1, commitCount: 1))
    schedule.appended(93, commitCount: 8, at: 40)
    #expect(!schedule.isDue(limits, at: 1_000), "the weight is that of the interval")
    schedule.appended(1, commitCount: 0, at: 50)
    #expect(!schedule.isDue(limits, at: 129) && schedule.isDue(limits, at: 130))
    #expect(schedule.neededBytes(limits) > 9 * 4_096)
  }

  @Test("the pages that are not stored are estimated by the log, and by what checkpoints of as much log have written")
  func dirty() {
    let limits = Self.limits
    var schedule = SnapshotSchedule(log: SnapshotSchedule.Log(), snapshotBytes: 0)
    func dirtyBytes(afterCheckpointOf sizeBytes: Int) -> Int {
      defer { schedule.appended(200_000, commitCount: 1_000) }
      _ = schedule.begin()
      _ = schedule.end(.checkpointed(sizeBytes: sizeBytes, begin: 0, end: 0), limits)
      return schedule.dirtyBytes
    }
    schedule.appended(200_000, commitCount: 1_000)
    #expect(schedule.dirtyBytes == 0, "it has no pages")
    #expect(dirtyBytes(afterCheckpointOf: 90_000_000) == 0)
    #expect(schedule.dirtyBytes / 1_000 == 4_495, "the first checkpoint, which writes all data, says nothing")
    #expect(dirtyBytes(afterCheckpointOf: 0) == 0)
    #expect(schedule.dirtyBytes / 1_000 == 2_247, "the next commits may change other pages")
    for _ in 0..<5 { _ = dirtyBytes(afterCheckpointOf: 0) }
    #expect(schedule.dirtyBytes / 1_000 == 280)
    _ = dirtyBytes(afterCheckpointOf: 9_000_000)
    #expect(schedule.dirtyBytes / 1_000 == 4_495)
  }

  @Test("a timer for a checkpoint of a quiet database is set again when it is due earlier, and not after a failure")
  func quiet() {
    var limits = Self.limits
    (limits.quietCheckpointMilliseconds, limits.quietCheckpointIntervalMilliseconds) = (10, 600)
    limits.quietCheckpointCommitsMin = 3
    var schedule = SnapshotSchedule(log: SnapshotSchedule.Log(), snapshotBytes: 0, isPaged: true)
    var times = [schedule.setTimer(limits)]  // There is nothing to write.
    schedule.appended(1, commitCount: 1, at: 100)
    times += [schedule.setTimer(limits), schedule.setTimer(limits)]
    schedule.appended(1, commitCount: 2, at: 200)
    times.append(schedule.setTimer(limits))
    schedule.timerFired(600)
    times.append(schedule.setTimer(limits))
    schedule.timerFired(210)
    times.append(schedule.setTimer(limits))
    #expect(times == [nil, 600, nil, 210, nil, 210])
    _ = schedule.begin()
    #expect(schedule.quietTime(limits) == nil)
    _ = schedule.end(.failed, limits)
    #expect(schedule.quietTime(limits) == nil)
  }

  @Test("at shutdown a snapshot is written when it saves time and is written quickly")
  func end() {
    let limits = Self.limits
    #expect(!Self.schedule(400, 10).isDueAtEnd(limits) && Self.schedule(400, 11).isDueAtEnd(limits))
    #expect(!Self.schedule(501, snapshot: 4_008).isDueAtEnd(limits))
    #expect(Self.schedule(502, snapshot: 4_008).isDueAtEnd(limits))
    #expect(!Self.schedule(900, snapshot: 4_101).isDueAtEnd(limits))
  }
}
