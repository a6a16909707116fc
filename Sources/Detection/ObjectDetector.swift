import Execution
import Geometry
import Imaging

/// What every detector family can do: all that is needed to run a detector, evaluate it and tell what it is.
///
/// Programs and experiments hold `any ObjectDetector`. Model files of a family are recognised in one place, the registry
/// of `ModelCatalog`.
public protocol ObjectDetector: Sendable {
  /// What its detections may be called, each label once.
  var labels: [String] { get }

  /// How the detector is scanned when nothing else is asked for.
  var scanOptions: ScanOptions { get }

  /// Whether every detection has a confidence.
  var isCalibrated: Bool { get }

  /// Checks that options are in range and that the family heeds all of them.
  ///
  /// A family that does not know an option refuses every value of it but the one that means "off": an option is never
  /// ignored in silence.
  /// - Parameter source: what the error is said to come from.
  /// - Throws: `InputError` that names the field.
  func validate(_ options: ScanOptions, source: String) throws

  /// The objects in an image, best first in the order of ``Suppression/precedes(_:_:)``.
  ///
  /// The answer does not depend on the executor's number of threads. An image too small for the detection window, or of
  /// no size, has no detections.
  /// - Parameters:
  ///   - image: grey or RGB, upright.
  ///   - options: `nil` takes the detector's own.
  /// - Returns: boxes in pixels of `image`.
  /// - Precondition: the options pass ``validate(_:source:)``.
  func detect(in image: ByteImage, options: ScanOptions?, executor: ParallelExecutor) -> [Detection]

  /// The same detector with other options to scan by.
  /// - Precondition: the options pass ``validate(_:source:)``.
  func scanned(by options: ScanOptions) -> Self

  /// What it is, a line a fact: windows, sizes, features, the scan. Without what all model files have (kind, provenance).
  var summary: [String] { get }

  /// Pictures of what it has learnt, a cell a component or stage; may be empty.
  var pictures: [ContactSheet.Cell] { get }
}

extension ObjectDetector {
  /// Checks ranges alone: for families that heed every option.
  public func validate(_ options: ScanOptions, source: String) throws {
    try options.validate(source: source)
  }

  /// The objects in an image by the detector's own scan options, best first; see ``detect(in:options:executor:)``.
  public func detect(in image: ByteImage, executor: ParallelExecutor = ParallelExecutor()) -> [Detection] {
    detect(in: image, options: nil, executor: executor)
  }
}

/// A detector whose single windows can be scored: what the window protocol of Dalal and Triggs measures.
public protocol WindowScorer: ObjectDetector {
  /// The best score that the detector gives to the window around one known object.
  /// - Precondition: the box and the image have an area.
  func score(of object: Box, in image: ByteImage) -> Double

  /// The scores of all scanned windows that reach `floor`, without suppression, and how many windows were scanned.
  func windowScores(
    in image: ByteImage, scoringAtLeast floor: Double, options: ScanOptions?, executor: ParallelExecutor
  ) -> (scores: [Double], scannedCount: Int)
}
