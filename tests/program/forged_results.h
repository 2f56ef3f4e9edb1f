// Results files that no run has written: copies of a good one in which a part is replaced by what
// HDF5 can store and a reader may not expect.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace grapple::program {

struct Forgery {
  std::string name;
  std::string place;  ///< what is replaced: "/time", or "/ seed" for an attribute
  std::string form;   ///< what replaces it
};

/// Every place with every form it can take.
std::vector<Forgery> forgeries(const std::string& channel);

/// Changes the file.
void forge(const std::filesystem::path& file, const Forgery& forgery);

/// The same contents in the oldest format of HDF5, which has no checksums of its own.
void copy_in_oldest_format(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace grapple::program
