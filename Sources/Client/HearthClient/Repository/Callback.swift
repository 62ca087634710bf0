import Dispatch
import Synchronization

/// A block of the app, and where it is called.
///
/// A block that belongs to an actor may change that actor's state, so it is called on that actor: on the main queue for the main
/// actor. Every other block is called on the queue that the app chose.
package struct Callback<Input>: @unchecked Sendable {
  // Unchecked because the block is called on its executor alone.

  /// The place where the block is called.
  package let executor: CallbackExecutor
  private let block: (Input) -> Void

  /// A block of this library, which belongs to no actor.
  package init(plain block: @escaping @Sendable (Input) -> Void) {
    executor = .queue
    self.block = block
  }

  private init(_ executor: CallbackExecutor, _ block: @escaping (Input) -> Void) {
    self.executor = executor
    self.block = block
  }

  /// Calls the block, on its executor already.
  package func callAsFunction(_ input: Input) { block(input) }

  /// Calls the block on its executor later, behind everything that was handed there before.
  ///
  /// - Parameter queue: The queue that the app chose.
  package func enqueue(_ input: Input, or queue: DispatchQueue) {
    let input = HandedOver(input)
    executor.async(or: queue) { self.block(input.value) }
  }

  /// The same block for what is turned into its input.
  package func mapped<New>(_ transform: @escaping @Sendable (New) -> Input) -> Callback<New> {
    Callback<New>(executor) { [block] in block(transform($0)) }
  }
}

// The compiler lets a block with isolation be called with `await` alone, which keeps no order. Its executor calls it on the
// actor, so the isolation can be dropped from the type.
extension Callback {
  /// A block of the app's.
  package init(_ block: @escaping @isolated(any) (Input) -> Void) {
    self.init(CallbackExecutor(block.isolation), unsafeBitCast(block, to: ((Input) -> Void).self))
  }

  /// A block of the app's with two parameters.
  package init<A, B>(_ block: @escaping @isolated(any) (A, B) -> Void) where Input == (A, B) {
    let plain = unsafeBitCast(block, to: ((A, B) -> Void).self)
    self.init(CallbackExecutor(block.isolation)) { plain($0.0, $0.1) }
  }

  /// A block of the app's with three parameters.
  package init<A, B, C>(_ block: @escaping @isolated(any) (A, B, C) -> Void) where Input == (A, B, C) {
    let plain = unsafeBitCast(block, to: ((A, B, C) -> Void).self)
    self.init(CallbackExecutor(block.isolation)) { plain($0.0, $0.1, $0.2) }
  }
}

/// The place where a block of the app is called.
package enum CallbackExecutor: Sendable {
  /// The queue that the app chose.
  case queue
  /// The main queue, for the main actor.
  case main
  /// Another actor.
  case actor(ActorCalls)

  /// The executor of blocks that belong to an actor; nil for none.
  package init(_ isolation: (any Actor)?) {
    switch isolation {
    case nil: self = .queue
    case is MainActor: self = .main
    case let actor?: self = .actor(.of(actor))
    }
  }

  /// Runs work there, in the order of the calls.
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

/// Calls on one actor, one after the other.
package final class ActorCalls: Sendable {
  private struct Weak {
    weak var calls: ActorCalls?
  }

  private static let all = Mutex<[ObjectIdentifier: Weak]>([:])

  private let actor: any Actor
  private let last = Mutex<Task<Void, Never>?>(nil)

  private init(_ actor: any Actor) { self.actor = actor }

  /// The calls on an actor, which all its blocks share.
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
