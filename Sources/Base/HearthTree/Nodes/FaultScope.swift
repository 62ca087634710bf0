import CAtomics

/// The treatment of references to data that is not in memory.
package enum FaultPolicy: Int32, Sendable {
  /// The page is read, and stays in the version. The default.
  case install = 0
  /// The page is read, kept while a cursor or a walk is at it, and not put into the version. Lookups of single
  /// locations put it there nevertheless.
  case stream = 1
  /// The page is not read: the lookup continues as if there were no data. The caller drops the result and repeats the
  /// work elsewhere.
  case refuse = 2
}

/// The numbers of a thread's reads of data that is not in memory.
package struct FaultCounts: Equatable, Sendable {
  /// The number of records read.
  package var count = 0
  /// The bytes of these records.
  package var bytes = 0
  /// The number of reads that the policy refused.
  package var refused = 0
  /// The number of reads that failed. The result of the work is then wrong, and must be dropped.
  package var failed = 0

  /// Creates the counts of no reads.
  package init() {}

  /// True when the result of the work is not that of the data, because data was missing.
  package var isIncomplete: Bool { refused > 0 || failed > 0 }

  /// The counts of the calling thread since its start.
  package static var current: FaultCounts {
    let all = thread_faults_current().pointee
    var counts = FaultCounts()
    (counts.count, counts.bytes) = (Int(truncatingIfNeeded: all.count), Int(truncatingIfNeeded: all.bytes))
    (counts.refused, counts.failed) = (Int(truncatingIfNeeded: all.refused), Int(truncatingIfNeeded: all.failed))
    return counts
  }

  fileprivate static func - (a: FaultCounts, b: FaultCounts) -> FaultCounts {
    var counts = a
    counts.count &-= b.count
    counts.bytes &-= b.bytes
    counts.refused &-= b.refused
    counts.failed &-= b.failed
    return counts
  }
}

/// A part of a thread's work with a policy for data that is not in memory.
///
/// Threads are shared by queues: a scope begins in the closure that runs on a queue, not at the start of a thread.
package enum FaultScope {
  /// Calls `body` with a policy, and returns its result with the numbers of reads in it. Scopes may be nested.
  @discardableResult
  package static func run<Value>(
    _ policy: FaultPolicy, _ body: () throws -> Value
  ) rethrows -> (result: Value, faults: FaultCounts) {
    let faults = thread_faults_current()
    let (before, former) = (FaultCounts.current, faults.pointee.policy)
    faults.pointee.policy = policy.rawValue
    defer { thread_faults_current().pointee.policy = former }
    let result = try body()
    return (result, FaultCounts.current - before)
  }

  /// Calls `body` without reading data that is not in memory, and returns its result; `nil` when it needed such data, or
  /// data could not be read. The work is then to be repeated on a thread that may wait.
  package static func resident<Value>(_ body: () -> Value) -> Value? {
    let (result, faults) = run(.refuse, body)
    return faults.isIncomplete ? nil : result
  }

  /// Declares the thread an event loop's: in debug builds, a read of data that is not in memory traps there.
  package static func markEventLoop() { thread_faults_current().pointee.is_event_loop = true }

  /// The thread's policy.
  package static var policy: FaultPolicy { FaultPolicy(rawValue: thread_faults_current().pointee.policy) ?? .install }
}

/// Reads of references to data that is not in memory.
enum NodeFault {
  /// Returns the object of a cell, which is put into the cell if it is not in memory; `nil` when it cannot be read or
  /// the thread's policy refuses it.
  ///
  /// - Parameter decode: Creates the object from its record.
  static func resolve<Object: AnyObject>(
    _ cell: UnsafeMutableRawPointer, _ reference: NodeReference, _ decode: (PageRecord) throws(PageError) -> Object
  ) -> Unmanaged<AnyObject>? {
    guard let object = load(reference, decode) else { return nil }
    let own = Unmanaged<AnyObject>.passRetained(object)
    let found = atomic_word_exchange_if(cell, reference.bits, UInt(bitPattern: own.toOpaque()))
    if found == reference.bits { return own }
    own.release()  // because another thread was faster
    return NodeReference(bits: found).object
  }

  /// Returns the object of a cell, which is put into the cell unless the thread streams; `nil` when it cannot be read or
  /// the thread's policy refuses it.
  @inline(__always)
  static func object<Object: AnyObject>(
    _ cell: UnsafeMutableRawPointer, _ reference: NodeReference, _ decode: (PageRecord) throws(PageError) -> Object
  ) -> AnyObject? {
    if let object = reference.object { return object.takeUnretainedValue() }
    if FaultScope.policy == .stream { return load(reference, decode) }
    return resolve(cell, reference, decode)?.takeUnretainedValue()
  }

  /// Reads the object of a reference to a location without putting it anywhere; `nil` when it cannot be read or the
  /// thread's policy refuses it.
  static func load<Object: AnyObject>(
    _ reference: NodeReference, _ decode: (PageRecord) throws(PageError) -> Object
  ) -> Object? {
    let faults = thread_faults_current()
    guard faults.pointee.policy != FaultPolicy.refuse.rawValue else {
      faults.pointee.refused &+= 1
      return nil
    }
    #if DEBUG
      precondition(!faults.pointee.is_event_loop, "an event loop reads a page")
    #endif
    let location = PageLocation(bits: reference.bits)
    faults.pointee.count &+= 1
    faults.pointee.bytes &+= UInt64(location.sizeBytes)
    do throws(PageError) {
      return try PageStore.load(location, decode)
    } catch {
      PageStore.named(location.store)?.latch(error)
      // Looked up again: the source may have used the thread for something else.
      thread_faults_current().pointee.failed &+= 1
      return nil
    }
  }
}
