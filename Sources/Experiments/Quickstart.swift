import DatasetReaders
import Detection
import Execution
import Foundation
import Geometry
import Imaging
import ModelFiles

/// The first thing a newcomer runs: fetches small public sets, trains a face detector on them, evaluates it, and draws what
/// it finds.
public enum Quickstart {
  public struct Outcome: Sendable {
    public let result: ExperimentResult
    public let report: String
    /// Whether the photos are generated, because public ones could not be fetched.
    public let isGenerated: Bool
    /// Where the model, the report, the page and the picture are.
    public let model: String
    public let reportPath: String
    public let page: String
    public let picture: String
  }

  /// - Parameters:
  ///   - configuration: an experiment with one evaluation by boxes.
  ///   - sets: manifests to fetch before.
  ///   - output: the folder for everything that is written.
  ///   - generates: do not even try to fetch.
  /// - Throws: as `ExperimentRunner.run`. A set that cannot be fetched is no error: the same job then runs on generated
  ///   pictures, and every title says so.
  public static func run(
    _ configuration: ExperimentConfiguration, fetching sets: [String], output: String, generates: Bool = false,
    record: RunRecord, executor: ParallelExecutor = ParallelExecutor(),
    progress: any ProgressSink = SilentProgress(), cancellation: Cancellation = Cancellation()
  ) throws -> Outcome {
    var configuration = configuration
    var isGenerated = generates
    if !generates {
      do {
        try fetch(sets, progress: progress, cancellation: cancellation)
      } catch let error as InputError {
        progress.receive(.warning("\(error)"))
        isGenerated = true
      }
    }
    if isGenerated {
      progress.receive(
        .note(
          "GENERATED PICTURES: \(generates ? "as asked for" : "the public photos cannot be fetched"); the same job runs on "
            + "drawn faces."))
      configuration = try onGeneratedPictures(configuration, folder: "\(output)/generated")
    }
    let (result, report) = try ExperimentRunner(
      configuration: configuration, output: output, record: record, executor: executor, progress: progress,
      cancellation: cancellation
    ).run()
    let evaluation = configuration.boxes[0]
    let picture = "\(output)/detections.png"
    try draw(evaluation, output: output, to: picture)
    return Outcome(
      result: result, report: report, isGenerated: isGenerated, model: "\(output)/model.safetensors",
      reportPath: "\(output)/report.md", page: "\(output)/\(evaluation.name).html", picture: picture)
  }

  private static func fetch(_ sets: [String], progress: any ProgressSink, cancellation: Cancellation) throws {
    let catalog = ManifestCatalog.standard()
    for name in sets {
      _ = try DatasetFetcher(cacheFolder: ManifestCatalog.cacheFolder()).fetch(
        catalog.manifest(named: name), progress: progress, cancellation: cancellation)
    }
  }

  private static func onGeneratedPictures(
    _ configuration: ExperimentConfiguration, folder: String
  ) throws -> ExperimentConfiguration {
    var copy = configuration
    guard var job = try copy.train?.job(as: HOGTrainingJob.self, source: "quickstart") else { return copy }
    let sets = try GeneratedFaces.write(below: folder, seed: job.options.seed)
    copy.title = "GENERATED PICTURES: " + copy.title
    copy.purpose = "The public photos could not be fetched: figures on drawn faces say nothing of real ones."
    job.positives = [AnnotatedSource(data: try .parse(sets.train))]
    job.negatives = [AnnotatedSource(data: try .parse(sets.negatives))]
    job.calibration = []
    copy.train = TrainingChoice(job)
    copy.boxes[0].data = [AnnotatedSource(data: try .parse(sets.test))]
    return copy
  }

  /// Draws the detections of the photo that has most of them.
  private static func draw(_ evaluation: BoxEvaluation, output: String, to path: String) throws {
    guard let dataset = try AnnotatedSource.load(evaluation.data) else { return }
    let detector = try ModelCatalog.detector("\(output)/model.safetensors")
    let results = try DetectionRun.detect(detector, in: dataset)
    let most = results.indices.max { first, second in
      (results[first].detections.count, second) < (results[second].detections.count, first)
    }
    guard let most else { return }
    let image = try dataset.image(at: most)
    let canvas = try Canvas(image.rgb(), scale: max(1, (640 / Double(image.width)).rounded(.up)))
    canvas.draw(results[most].detections)
    try ImageFile.write(canvas.image(), to: path)
  }
}
