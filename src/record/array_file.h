// Arrays of numbers as an .npz file: what numpy.load, and readers in MATLAB, Julia and R, take. It
// is an uncompressed zip archive of .npy files (format version 1.0), column-major, little endian.
// Sources: numpy/lib/format.py (the .npy format), PKWARE APPNOTE 6.3 (zip).
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <vector>

#include "grapple/spatial/types.h"

namespace grapple::record {

struct NamedArray {
  NamedArray(std::string array_name, const spatial::MatX& numbers);
  NamedArray(std::string array_name, const Eigen::MatrixXcd& numbers);
  /// One dimension.
  NamedArray(std::string array_name, const std::vector<double>& numbers);
  NamedArray(std::string array_name, const std::vector<std::complex<double>>& numbers);

  std::string name;  ///< letters, digits, _
  std::string npy;   ///< the bytes of the .npy file
};

/// The bytes of the archive. The time stamps are fixed: same arrays, same bytes.
std::string npz_bytes(const std::vector<NamedArray>& arrays);
/// Throws GR-511 as write_file_atomically.
void write_npz(const std::filesystem::path& file, const std::vector<NamedArray>& arrays);

}  // namespace grapple::record
