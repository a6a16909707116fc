import DatasetReaders
import Execution
import Geometry

/// Packed samples (`.vec`) beside the window: the file does not say how wide they are, and what has another shape than the
/// window would be stretched to it.
extension CascadeTrainingJob {
  /// The sources, where samples that are as many values as the window are read in its shape. A width that a reference gives
  /// stays.
  func readingInShape(_ sources: [AnnotatedSource]) -> [AnnotatedSource] {
    let window = options.windowSize
    return sources.map { source in
      guard case .files(.vec, let path) = source.data.source, source.data.options["width"] == nil,
        let file = try? VecFile(path: path, width: window.width), file.sampleSize == window
      else { return source }
      var copy = source
      copy.data.options["width"] = "\(window.width)"
      return copy
    }
  }

  /// - Throws: `InputError` for packed samples where windows are to be grown: there is nothing around them but repeated
  ///   borders.
  func refuseContext(_ set: Dataset) throws {
    guard positiveOptions.context > 1 else { return }
    for case .vecSample(let file, _) in set.sources {
      throw InputError(
        source: file.path, problem: "is of packed samples, which cannot be grown: nothing lies around them",
        found: "a context of \(positiveOptions.context)",
        expected: "a context of at most 1 (--context, sampling.context)")
    }
  }

  /// - Throws: `InputError` for packed samples of another shape than the window's.
  func requireShape(_ set: Dataset) throws {
    let window = options.windowSize
    var last: VecFile?
    for case .vecSample(let file, _) in set.sources where file != last {
      let size = file.sampleSize
      guard size.width * window.height == size.height * window.width else {
        throw InputError(
          source: file.path, problem: "has samples of another shape than the window's",
          found: "\(size.width) x \(size.height)", expected: "the shape of \(window.width) x \(window.height)",
          hint: "give --window (windowSize) that shape, or the samples' width: vec:\(file.path)?width=W")
      }
      last = file
    }
  }
}
