import HearthCrypto
import HearthSystem
import HearthTree
import Synchronization
import Testing

@testable import HearthAccounts

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("The queue of the password pool")
struct PasswordPoolQueueTests {
  @Test("A full queue refuses at once, and one client cannot fill it")
  func overflow() async throws {
    let threads = ManualThreads()
    let pool = PasswordPool(
      cost: .developer, slots: 1, random: .system, importKey: { _ in nil }, startThread: { threads.take($0) })
    let share = PasswordPool.queueCountPerClientMax
    try await withThrowingTaskGroup(of: Bool.self) { group in
      // The first runs (waiting on the manual threads), the others are queued.
      group.addTask { try await pool.check("x", against: nil, for: "192.0.2.1") == .wrong }
      while threads.count == 0 { await Task.yield() }
      for _ in 0..<share { group.addTask { try await pool.check("x", against: nil, for: "192.0.2.1") == .wrong } }
      while pool.waitingCount < share { await Task.yield() }
      await #expect(throws: AccountError(.unavailable)) { try await pool.check("x", against: nil, for: "192.0.2.1") }
      // Another address of the same IPv6 customer's network counts to the same share.
      for _ in 0..<share { group.addTask { try await pool.check("x", against: nil, for: "2001:db8::1") == .wrong } }
      while pool.waitingCount < 2 * share { await Task.yield() }
      await #expect(throws: AccountError(.unavailable)) { try await pool.check("x", against: nil, for: "2001:db8::2") }
      // The last place is reserved for administrators.
      for client in 0..<2 * share - 1 {
        group.addTask { try await pool.check("x", against: nil, for: "198.51.\(client).1") == .wrong }
      }
      while pool.waitingCount < PasswordPool.queueCountMax - 1 { await Task.yield() }
      await #expect(throws: AccountError(.unavailable)) { try await pool.check("x", against: nil, for: "203.0.113.9") }
      await #expect(throws: AccountError(.unavailable)) { try await pool.hash("x", for: "203.0.113.9") }
      threads.run()
      var answers = 0
      for try await isWrong in group {
        #expect(isWrong)
        answers += 1
      }
      #expect(answers == PasswordPool.queueCountMax)
    }
    #expect(pool.waitingCount == 0)
    // The pool continues afterwards.
    async let later = pool.check("x", against: nil, for: "203.0.113.9")
    while threads.count == 0 { await Task.yield() }
    threads.run()
    #expect(try await later == .wrong)
  }

  @Test("When the machine cannot start a thread, passwords are refused, until it can")
  func noThread() async throws {
    let works = Atomic(false)
    let pool = PasswordPool(
      cost: .developer, slots: 1, random: .system, importKey: { _ in nil },
      startThread: { work in
        guard works.load(ordering: .relaxed) else { return false }
        return WorkerThread.run(work)
      })
    await #expect(throws: AccountError(.unavailable)) { try await pool.check("x", against: nil, for: "") }
    works.store(true, ordering: .relaxed)
    #expect(try await pool.check("x", against: nil, for: "") == .wrong)
  }

  @Test("A job queued for a thread that failed to start is refused with it")
  func queuedBehindNoThread() async throws {
    let box = PoolBox()
    let second = Mutex<Task<AccountError?, Never>?>(nil)
    let pool = PasswordPool(
      cost: .developer, slots: 1, random: .system, importKey: { _ in nil },
      startThread: { _ in
        guard let pool = box.pool.withLock({ $0 }) else { return false }
        second.withLock { task in
          task = Task.detached {
            do throws(AccountError) {
              _ = try await pool.check("x", against: nil, for: "192.0.2.2")
              return nil
            } catch {
              return error
            }
          }
        }
        while pool.waitingCount == 0 { usleep(1_000) }
        return false
      })
    box.pool.withLock { $0 = pool }
    await #expect(throws: AccountError(.unavailable)) { try await pool.check("x", against: nil, for: "192.0.2.1") }
    let queued = try #require(second.withLock { $0 })
    // There are no further requests; without an answer this would wait forever.
    let answer = await Deadline.run(milliseconds: 60_000) { await queued.value }
    #expect(answer == AccountError(.unavailable))
    box.pool.withLock { $0 = nil }
  }

  @Test("No more passwords are computed at once than there are slots")
  func slots() async throws {
    let running = Mutex((now: 0, most: 0))
    let key: @Sendable (String) -> [UInt8]? = { _ in
      running.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      usleep(2_000)
      running.withLock { $0.now -= 1 }
      return [1]
    }
    let pool = PasswordPool(cost: .developer, slots: 2, random: .system, importKey: key)
    let stored = try ImportedHash.storedString(
      hash: [UInt8](repeating: 1, count: 32), salt: [1],
      parameters: ImportedHash.Parameters(.hmacSHA256, signerKeyID: "k"))
    try await withThrowingTaskGroup(of: PasswordPool.Verdict.self) { group in
      for client in 0..<40 {
        group.addTask { try await pool.check("x", against: stored, for: "192.0.2.\(client)") }
      }
      for try await verdict in group { #expect(verdict == .wrong) }
    }
    #expect(running.withLock { $0.most } == 2)
  }

  @Test("Clients take turns")
  func turns() {
    var queue = FairQueue<String, String>(countMax: 8, countPerClientMax: 4)
    let first = ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1"].filter { !queue.append($0, for: String($0.prefix(1))) }
    #expect(first == ["a5"], "one client's part is full")
    var order: [String] = []
    while let job = queue.popFirst() { order.append(job) }
    #expect(order == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
    #expect(queue.count == 0)
    let second = (0..<9).filter { !queue.append("x", for: "\($0)") }
    #expect(second == [8], "the queue is full")
  }

  @Test("The networks of one /48 leave room in the queue for another")
  func shares() {
    var queue = FairQueue<String, Int>(
      countMax: PasswordPool.queueCountMax, countPerClientMax: PasswordPool.queueCountPerClientMax)
    var taken = 0
    for number in 0..<500 {
      let client = ClientNetwork("2001:db8:1:\(String(number, radix: 16))::1")
      if queue.append(number, for: client.text, in: client.prefix) { taken += 1 }
    }
    #expect(taken == 56)
    for number in 0..<5 {
      let client = ClientNetwork("198.51.\(number).1")
      let isTaken = queue.append(number, for: client.text, in: client.prefix)
      #expect(isTaken)
    }
    while queue.popFirst() != nil {}
    let client = ClientNetwork("2001:db8:1:1::1")
    let isTaken = queue.append(0, for: client.text, in: client.prefix)
    #expect(queue.count == 1 && isTaken)
  }
}

/// A reference to the pool for its own closure.
private final class PoolBox: Sendable { let pool = Mutex<PasswordPool?>(nil) }

/// Threads that run on command.
private final class ManualThreads: Sendable {
  private let works = Mutex<[@Sendable () -> Void]>([])

  var count: Int { works.withLock { $0.count } }

  func take(_ work: @escaping @Sendable () -> Void) -> Bool {
    works.withLock { $0.append(work) }
    return true
  }

  func run() {
    let all = works.withLock { works in
      defer { works = [] }
      return works
    }
    for work in all { work() }
  }
}
