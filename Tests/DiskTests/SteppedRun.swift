import Synchronization

/// Something that is kept in files and changed by the same steps every time, each of them made whole or not at all.
protocol SteppedFiles: AnyObject {
  /// What the steps are called, in order.
  static var steps: [String] { get }

  /// Opens what is in a folder, or makes it.
  ///
  /// - Throws: any error; also when damage is found.
  init(folder: String) throws

  /// Makes the step of that number, after all before it.
  ///
  /// - Throws: ``StepFailure``.
  func perform(_ step: Int) throws

  /// All that is kept, in a form that is the same after the same steps.
  func state() throws -> String

  /// Lets go of the files.
  func close()
}

/// A step that was not made, or of which nobody knows.
struct StepFailure: Error {
  var outcome: DiskOutcome
  var reason: String
}

/// Steps on a watched disk. Each one is tried until it is made, on files that are opened again where nobody knows what
/// became of it: what is there is always what some number of the steps comes to.
struct SteppedRun<Files: SteppedFiles>: DiskRun {
  private(set) var outcomes: [(operation: String, outcome: DiskOutcome)] = []
  private(set) var problems: [String] = []
  private let folder: String
  private let disk: WatchedDisk
  private var files: Files?
  /// After no step, one, and so on.
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
    // A fault happens once.
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

  /// Opens; again if the first attempt failed, as whoever starts a server does.
  ///
  /// - Parameter attempted: how many steps may have been made.
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

/// What steps come to on a disk that does not fail, found out once.
private enum StepStates {
  private static let known = Mutex<[ObjectIdentifier: [String]]>([:])

  /// - Returns: empty when a step fails.
  static func of<Files: SteppedFiles>(_ type: Files.Type) -> [String] {
    known.withLock { known in
      if let states = known[ObjectIdentifier(type)] { return states }
      let states = (try? make(type)) ?? []
      known[ObjectIdentifier(type)] = states
      return states
    }
  }

  private static func make<Files: SteppedFiles>(_ type: Files.Type) throws -> [String] {
    // Its paths are not the watched ones.
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
