import Foundation

/// The Gaussian of unit deviation and unit height.
func gaussian(_ x: Double) -> Double { exp(-x * x / 2) }
