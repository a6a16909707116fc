// Trains one linear SVM on samples from a raw file, several times, and prints one line of JSON.
//
//   svm-benchmark SAMPLES.f32 LABELS.u8 DIMENSION hinge|squaredHinge COST TOLERANCE GAP REPEATS
//
// GAP is the wanted relative duality gap, or "none". SAMPLES.f32 holds little-endian floats, row after row; LABELS.u8 one byte a sample, 1 for positive. The files and the
// comparison with liblinear are made by Benchmarks/peers/compare_liblinear.py. Reading is outside the timer.
import Execution
import Foundation
import Learning
import LinearAlgebra

struct Result: Encodable {
  var seconds: [Double]
  var report: LinearSVMReport
  var core: String
  var weights: [Float]
  var bias: Double
}

let arguments = CommandLine.arguments
guard arguments.count == 9, let dimension = Int(arguments[3]), dimension > 0,
  let loss = LinearSVMOptions.Loss(rawValue: arguments[4]), let cost = Double(arguments[5]),
  let tolerance = Double(arguments[6]), let repeats = Int(arguments[8]), repeats > 0
else {
  FileHandle.standardError.write(
    Data("use: svm-benchmark SAMPLES.f32 LABELS.u8 DIMENSION hinge|squaredHinge COST TOLERANCE GAP REPEATS\n".utf8))
  exit(2)
}
do {
  let data = try Data(contentsOf: URL(fileURLWithPath: arguments[1]))
  let labels = try Data(contentsOf: URL(fileURLWithPath: arguments[2])).map { $0 == 1 }
  guard data.count == labels.count * dimension * 4 else {
    throw LearningError.countMismatch(what: "sample bytes", found: data.count, expected: labels.count * dimension * 4)
  }
  let values = [Float](unsafeUninitializedCapacity: data.count / 4) { buffer, count in
    count = data.copyBytes(to: buffer) / 4
  }
  let samples = SampleMatrix(count: labels.count, dimension: dimension, values: values)
  let options = LinearSVMOptions(loss: loss, cost: cost, tolerance: tolerance, relativeGap: Double(arguments[7]))
  var seconds: [Double] = []
  var trained: TrainedLinearSVM?
  for _ in 0..<repeats {
    var random = RandomStream(seed: 1)
    let clock = ContinuousClock()
    seconds.append(
      try clock.measure {
        trained = try LinearSVMTrainer.train(samples: samples, labels: labels, options: options, using: &random)
      } / .seconds(1))
  }
  let result = Result(
    seconds: seconds, report: trained!.report, core: BLAS.coreName, weights: trained!.svm.weights,
    bias: trained!.svm.bias)
  print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
