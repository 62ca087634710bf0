import Synchronization

/// A store in files that is changed by a fixed sequence of atomic steps.
protocol SteppedFiles: AnyObject {
  /// The names of the steps in order.
  static var steps: [String] { get }

  /// Opens the store in a folder, or creates it.
  ///
  /// - Throws: Any error, also on damage.
  init(folder: String) throws

  /// Performs a step, after all steps before it.
  ///
  /// - Throws: ``StepFailure``.
  func perform(_ step: Int) throws

  /// Returns the stored state in a form that is the same after the same steps.
  func state() throws -> String

  /// Closes the files.
  func close()
}

/// An error for a step that failed or whose outcome is unknown.
struct StepFailure: Error {
  var outcome: DiskOutcome
  var reason: String
}

/// Steps on a watched disk. Each step is repeated until it succeeds, on reopened files when its outcome is unknown; the
/// state always equals that after some number of steps.
struct SteppedRun<Files: SteppedFiles>: DiskRun {
  private(set) var outcomes: [(operation: String, outcome: DiskOutcome)] = []
  private(set) var problems: [String] = []
  private let folder: String
  private let disk: WatchedDisk
  private var files: Files?
  /// The states after no step, one step, and so on.
  private let states: [String]
  private var madeCount = 0

  init(folder: String, disk: WatchedDisk) {
    (self.folder, self.disk) = (folder, disk)
    states = StepStates.of(Files.self)
    if states.isEmpty { problems.append("the steps fail on a disk that does not") }
  }

  mutating func run() {
    guard !states.isEmpty else { return }
    open(attempted: 0)
    // A fault happens only once.
    var failureCount = 0
    while madeCount < Files.steps.count, failureCount < 4 {
      guard let files else { return problems.append("it cannot be opened again") }
      let name = Files.steps[madeCount]
      do {
        try files.perform(madeCount)
        note(name, .done)
        madeCount += 1
        disk.promise(Int64(madeCount))
      } catch let failure as StepFailure {
        failureCount += 1
        note(name, failure.outcome)
        if failure.outcome != .refused { open(attempted: failure.outcome == .unknown ? madeCount + 1 : madeCount) }
      } catch {
        failureCount += 1
        problems.append("\(name): \(error) is no word for a step")
      }
    }
    if failureCount == 4 {
      problems.append("\(Files.steps[min(madeCount, Files.steps.count - 1)]) fails again and again")
    }
  }

  mutating func end() {
    files?.close()
    files = nil
  }

  private mutating func note(_ operation: String, _ outcome: DiskOutcome) { outcomes.append((operation, outcome)) }

  /// Opens the files; a second time when the first attempt fails, as an operator would.
  ///
  /// - Parameter attempted: The number of steps that may have been made.
  private mutating func open(attempted: Int) {
    end()
    var reason = ""
    for _ in 0..<2 {
      do {
        let opened = try Files(folder: folder)
        files = opened
        note("open", .done)
        let state = try opened.state()
        let found = (madeCount...min(attempted, states.count - 1)).last { states[$0] == state }
        guard let found else { return problems.append("after \(madeCount) to \(attempted) steps there is: \(state)") }
        madeCount = found
        return
      } catch {
        note("open", .unknown)
        reason = "\(error)"
        end()
      }
    }
    problems.append("it cannot be opened: \(reason)")
  }

  func problem(in folder: String, promised: Int64) -> String? {
    do {
      let found = try Files(folder: folder)
      defer { found.close() }
      let state = try found.state()
      if states.dropFirst(Int(promised)).contains(state) { return nil }
      return "\(promised) steps were made, and there is: \(state)"
    } catch {
      return "it is refused: \(error)"
    }
  }
}

/// The states after the steps on a disk without faults, computed once.
private enum StepStates {
  private static let known = Mutex<[ObjectIdentifier: [String]]>([:])

  /// Returns the states of a type.
  ///
  /// - Returns: An empty list when a step fails.
  static func of<Files: SteppedFiles>(_ type: Files.Type) -> [String] {
    known.withLock { known in
      if let states = known[ObjectIdentifier(type)] { return states }
      let states = (try? make(type)) ?? []
      known[ObjectIdentifier(type)] = states
      return states
    }
  }

  private static func make<Files: SteppedFiles>(_ type: Files.Type) throws -> [String] {
    // The folder is outside the watched paths.
    let folder = try DiskFolder()
    let files = try Files(folder: folder.path)
    defer { files.close() }
    var states = [try files.state()]
    for step in type.steps.indices {
      try files.perform(step)
      states.append(try files.state())
    }
    return states
  }
}
