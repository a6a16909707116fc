import DatasetReaders
import Detection
import Execution
import Geometry

/// Measures a cascade, wherever it comes from, on samples and photos: which it should not have been trained on, for what it
/// has seen it misses less.
public enum CascadeStagesRun {
  /// - Parameters:
  ///   - windowLimit: the most windows of the negatives.
  ///   - seed: of the order of the windows.
  /// - Throws: `InputError` for data that cannot be loaded; `UnreadablePhotos`; as `CascadeMeasure.measure`.
  public static func measure(
    _ detector: CascadeDetector, positives: [AnnotatedSource], negatives: [AnnotatedSource], windowLimit: Int,
    seed: UInt64, executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) throws -> CascadeMeasure {
    func open(_ sources: [AnnotatedSource], _ role: String) throws -> OpenedPhotos {
      guard let set = try AnnotatedSource.load(sources) else {
        throw InputError(source: role, problem: "names no data set")
      }
      set.tellProblems(to: progress)
      return try OpenedPhotos(
        DatasetTrainingSource(set), executor: executor, progress: progress, cancellation: cancellation,
        phase: "opening \(role)")
    }
    var windows = NegativeWindowOptions(windowSize: detector.windowSize)
    windows.seed = seed
    let samples = PositiveSampleOptions(windowSize: detector.windowSize)
    let negativeWindows = try NegativeWindows(
      open(negatives, "negatives"), options: windows, positives: samples, executor: executor)
    negativeWindows.tellLeftOut(to: progress)
    return try CascadeMeasure.measure(
      windowSize: detector.windowSize, features: detector.features, stages: detector.stages,
      positives: try AnnotatedPositives(open(positives, "positives"), options: samples),
      negatives: negativeWindows,
      windowLimit: windowLimit, executor: executor, cancellation: cancellation)
  }
}
