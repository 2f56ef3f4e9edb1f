// Motion along a Kepler ellipse of semi-major axis 1, as a function of the mean anomaly.
#pragma once

namespace grapple::orbit {

/// Eccentric anomaly E of E - e sin E = M to round-off, for any M (whole turns are kept) and 0 <= e
/// < 1.
double eccentric_anomaly(double mean_anomaly, double eccentricity);

/// Mean anomaly of a true anomaly, whole turns kept.
double mean_anomaly(double true_anomaly, double eccentricity);

}  // namespace grapple::orbit
