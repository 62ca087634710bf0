import CLinux
import Glibc

/// A plugin's process and the three pipes to it. Not thread-safe: its owner uses it from one thread at a time.
struct PluginProcess {
  /// The reason why the process could not be started.
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  let id: pid_t
  /// The descriptor that becomes readable when the process has ended.
  private(set) var end: Int32
  /// The nonblocking descriptor of the standard input; -1 once it is closed.
  private(set) var input: Int32
  private(set) var output: Int32
  private(set) var errors: Int32
  /// The bytes that wait for room in the pipe.
  private var unsent: [UInt8] = []
  private var unsentStart = 0
  private var closesInput = false

  var unsentBytes: Int { unsent.count - unsentStart }

  /// Starts the process. To be called from a thread that lives as long as the process may: the process ends with the
  /// thread.
  init(_ plan: ProcessPlan) throws(Problem) {
    var pipes: [(read: Int32, write: Int32)] = []
    var isStarted = false
    defer { if !isStarted { for pipe in pipes { Self.close([pipe.read, pipe.write]) } } }
    for _ in 0..<3 { pipes.append(try Self.pipe()) }
    let (input, output, errors) = (pipes[0], pipes[1], pipes[2])
    for descriptor in [input.write, output.read, errors.read] where fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0 {
      throw Problem(description: Self.text(errno))
    }
    let arguments = ([plan.program] + plan.arguments).map { strdup($0) } + [nil]
    let variables = plan.environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var id: pid_t = 0
    let problem = plan.program.withCString { program in
      plan.directory.withCString { directory in
        arguments.withUnsafeBufferPointer { arguments in
          variables.withUnsafeBufferPointer { variables in
            var launch = linux_launch()
            launch.path = program
            launch.arguments = arguments.baseAddress
            launch.environment = variables.baseAddress
            launch.directory = directory
            (launch.input, launch.output, launch.error) = (input.read, output.write, errors.write)
            if let user = plan.user {
              (launch.changes_user, launch.user, launch.group) = (1, user.id, user.groupID)
            }
            (launch.data_bytes, launch.file_bytes) = (plan.dataBytesMax, plan.fileBytesMax)
            (launch.open_files, launch.processes) = (plan.openFilesMax, plan.processesMax)
            return linux_start(&launch, &id)
          }
        }
      }
    }
    guard problem == 0 else {
      if id > 0 { _ = Self.reap(id) }
      throw Problem(description: "\(plan.program): \(Self.text(problem))")
    }
    end = linux_pidfd_open(id)
    guard end >= 0 else {
      let problem = Problem(description: Self.text(errno))
      kill(-id, SIGKILL)
      _ = Self.reap(id)
      throw problem
    }
    isStarted = true
    self.id = id
    Self.close([input.read, output.write, errors.write])
    (self.input, self.output, self.errors) = (input.write, output.read, errors.read)
  }

  // MARK: Input

  /// Sends as many bytes as the pipe takes now; ``sendRest()`` sends the rest.
  mutating func send(_ bytes: [UInt8]) {
    guard input >= 0, !closesInput else { return }
    if unsentBytes == 0 { (unsent, unsentStart) = (bytes, 0) } else { unsent += bytes }
    sendRest()
  }

  mutating func sendRest() {
    while input >= 0, unsentBytes > 0 {
      let count = unsent[unsentStart...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        // A process that reads no more is about to end; its end is handled when `end` is readable.
        if errno != EAGAIN { closeInputNow() }
        break
      }
      unsentStart += count
    }
    if unsentBytes == 0 {
      (unsent, unsentStart) = ([], 0)
      if closesInput { closeInputNow() }
    } else if unsentStart > 1 << 20 {
      unsent.removeFirst(unsentStart)
      unsentStart = 0
    }
  }

  /// Closes the standard input once all bytes are sent.
  mutating func closeInput() {
    closesInput = true
    if unsentBytes == 0 { closeInputNow() }
  }

  private mutating func closeInputNow() {
    Self.close([input])
    (input, unsent, unsentStart) = (-1, [], 0)
  }

  // MARK: Output

  enum Read {
    case bytes(Int)
    case nothing
    case end
  }

  /// Reads the available standard output, at most as much as fits.
  func readOutput(into buffer: UnsafeMutableRawBufferPointer) -> Read { Self.read(output, into: buffer) }

  /// Reads the available standard error, at most as much as fits.
  func readErrors(into buffer: UnsafeMutableRawBufferPointer) -> Read { Self.read(errors, into: buffer) }

  private static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Read {
    guard descriptor >= 0 else { return .end }
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      if errno != EINTR { return errno == EAGAIN ? .nothing : .end }
    }
  }

  mutating func closeOutput() {
    Self.close([output])
    output = -1
  }

  mutating func closeErrors() {
    Self.close([errors])
    errors = -1
  }

  // MARK: Ending

  /// Kills the process with its process group.
  func killGroup() { kill(-id, SIGKILL) }

  /// Releases the resources of the process, once ``end`` is readable; its remaining children are killed.
  ///
  /// - Returns: the way it ended: `with code 1`, `by signal 9`.
  mutating func finish() -> String {
    // Before the process is reaped: until then no other process can have its number.
    killGroup()
    let status = Self.reap(id)
    Self.close([end, input, output, errors])
    (end, input, output, errors) = (-1, -1, -1, -1)
    let signal = status & 0x7F
    return signal == 0 ? "with code \(status >> 8 & 0xFF)" : "by signal \(signal)"
  }

  private static func reap(_ id: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status
  }

  private static func pipe() throws(Problem) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard linux_pipe(&ends, O_CLOEXEC) == 0 else { throw Problem(description: text(errno)) }
    return (ends[0], ends[1])
  }

  private static func close(_ descriptors: [Int32]) {
    for descriptor in descriptors where descriptor >= 0 { Glibc.close(descriptor) }
  }

  private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
