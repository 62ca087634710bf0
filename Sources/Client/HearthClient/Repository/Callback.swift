import Dispatch

/// A block of the app with its executor.
///
/// A block that is isolated to an actor is called on that actor; for the main actor, on the main queue. Every other
/// block is called on the app's callback queue.
package struct Callback<Input>: @unchecked Sendable {
  // Unchecked because the block is called only on its executor.

  /// The executor of the block.
  package let executor: CallbackExecutor
  private let block: (Input) -> Void

  /// Creates a callback from a block of this library, which is not isolated to an actor.
  package init(plain block: @escaping @Sendable (Input) -> Void) {
    executor = .queue
    self.block = block
  }

  private init(_ executor: CallbackExecutor, _ block: @escaping (Input) -> Void) {
    self.executor = executor
    self.block = block
  }

  /// Calls the block. The caller must be on its executor already.
  package func callAsFunction(_ input: Input) { block(input) }

  /// Calls the block on its executor later, after all earlier calls there.
  ///
  /// - Parameter queue: The app's callback queue.
  package func enqueue(_ input: Input, or queue: DispatchQueue) {
    let input = UnsafeTransfer(input)
    executor.async(or: queue) { self.block(input.value) }
  }

  /// Returns a callback that transforms its input and calls the same block.
  package func mapped<New>(_ transform: @escaping @Sendable (New) -> Input) -> Callback<New> {
    Callback<New>(executor) { [block] in block(transform($0)) }
  }
}

// The compiler requires `await` for a call of a block with isolation, which does not guarantee the order of calls. Its
// executor calls it on the actor, so the isolation can be dropped from the type.
extension Callback {
  /// Creates a callback from a block of the app.
  package init(_ block: @escaping @isolated(any) (Input) -> Void) {
    self.init(CallbackExecutor(block.isolation), unsafeBitCast(block, to: ((Input) -> Void).self))
  }

  /// Creates a callback from a block of the app with two parameters.
  package init<A, B>(_ block: @escaping @isolated(any) (A, B) -> Void) where Input == (A, B) {
    let plain = unsafeBitCast(block, to: ((A, B) -> Void).self)
    self.init(CallbackExecutor(block.isolation)) { plain($0.0, $0.1) }
  }

  /// Creates a callback from a block of the app with three parameters.
  package init<A, B, C>(_ block: @escaping @isolated(any) (A, B, C) -> Void) where Input == (A, B, C) {
    let plain = unsafeBitCast(block, to: ((A, B, C) -> Void).self)
    self.init(CallbackExecutor(block.isolation)) { plain($0.0, $0.1, $0.2) }
  }
}

/// The executor of an app's block.
package enum CallbackExecutor: Sendable {
  /// The app's callback queue.
  case queue
  /// The main queue, for the main actor.
  case main
  /// Another actor.
  case actor(ActorCalls)

  /// Creates the executor of blocks that are isolated to an actor; nil for other blocks.
  package init(_ isolation: (any Actor)?) {
    switch isolation {
    case nil: self = .queue
    case is MainActor: self = .main
    case let actor?: self = .actor(.of(actor))
    }
  }

  /// Runs work on the executor, in the order of the calls.
  ///
  /// - Parameter queue: The queue that the app chose.
  package func async(or queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
    switch self {
    case .queue: queue.async(execute: work)
    case .main: DispatchQueue.main.async(execute: work)
    case .actor(let calls): calls.async(work)
    }
  }
}

/// A serial queue of calls on one actor.
package final class ActorCalls: Sendable {
  private struct Weak {
    weak var calls: ActorCalls?
  }

  private static let all = LockedValue<[ObjectIdentifier: Weak]>([:])

  private let actor: any Actor
  private let last = LockedValue<Task<Void, Never>?>(nil)

  private init(_ actor: any Actor) { self.actor = actor }

  /// Returns the calls on an actor, shared by all its blocks.
  static func of(_ actor: any Actor) -> ActorCalls {
    all.withLock { all in
      if let known = all[ObjectIdentifier(actor)]?.calls { return known }
      all = all.filter { $0.value.calls != nil }
      let calls = ActorCalls(actor)
      all[ObjectIdentifier(actor)] = Weak(calls: calls)
      return calls
    }
  }

  /// Runs work on the actor, in the order of the calls.
  func async(_ work: @escaping @Sendable () -> Void) {
    last.withLock { last in
      last = Task { [actor, last] in
        await last?.value
        await Self.run(work, on: actor)
      }
    }
  }

  private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) { work() }
}
