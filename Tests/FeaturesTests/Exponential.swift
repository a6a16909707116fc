import Foundation

func exponential(_ x: Double) -> Double { exp(x) }
