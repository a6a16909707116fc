import DatasetReaders
import Execution
import Landmarks
import ModelFiles
import TestSupport

@testable import Experiments

/// Small trainings of landmark fitters, for tests.
enum SmallTraining {
  static var options: ShapePredictorOptions {
    var options = ShapePredictorOptions()
    options.levels = 3
    options.trees = 15
    options.depth = 2
    options.poolSize = 50
    options.oversampling = 4
    return options
  }

  static func run(
    _ job: LandmarkTrainingJob, checkpoint: String? = nil, threads: Int = 1,
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation? = nil
  ) throws -> LandmarkModel {
    try job.run(
      record: Provenance(command: "test", dataSets: [], seed: 0), checkpoint: checkpoint,
      executor: ParallelExecutor(threadCount: threads), progress: progress, cancellation: cancellation)
  }

  /// The error of our own that a training ends with; `nil` where it ends well or with another.
  static func error(_ job: () throws -> LandmarkModel) -> InputError? {
    do {
      _ = try job()
      return nil
    } catch { return error as? InputError }
  }
}
