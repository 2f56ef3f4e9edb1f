// The layout of a results file (see results_file.h) in terms of HDF5: creation, and access to its
// one-dimensional series.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grapple/record/internal/hdf5_handle.h"
#include "grapple/record/results_file.h"

namespace grapple::record::layout {

inline constexpr std::uint64_t kFormat = 1;
inline constexpr std::size_t kStatusBytes = 32;
inline constexpr std::size_t kCauseBytes = 1024;
inline constexpr std::size_t kEventNameBytes = 256;
inline constexpr std::size_t kEventChunk = 64;

inline constexpr const char* kTime = "/time";
inline constexpr const char* kScene = "/scene";
inline constexpr const char* kChannels = "/channels";
inline constexpr const char* kCommitted = "/committed";
inline constexpr const char* kEventTime = "/events/time";
inline constexpr const char* kEventName = "/events/name";
inline constexpr const char* kEventDirection = "/events/direction";
inline constexpr const char* kEventRow = "/events/row";

std::string channel_path(const ChannelInfo& channel);

/// Creates the file with empty series and returns it in single-writer mode.
hdf5::File create_file(const std::filesystem::path& path, const RunInfo& info,
                       const std::vector<ChannelInfo>& channels, std::size_t chunk_rows,
                       const hdf5::FileFault& fault);

/// The text of /scene; empty if there is none.
std::string read_scene(const hdf5::File& file, const hdf5::FileFault& fault);

/// Opens a series for access without a chunk cache: data go straight to the file, and thousands of
/// channels cost no memory.
hdf5::Dataset open_series(const hdf5::File& file, const std::string& path,
                          const hdf5::FileFault& fault);
/// The same, of values stored as exactly this type.
hdf5::Dataset open_series(const hdf5::File& file, const std::string& path, hid_t type,
                          const hdf5::FileFault& fault);
hsize_t series_length(const hdf5::Dataset& series, const hdf5::FileFault& fault);
/// Extends the series to first + count and writes there.
void append_series(const hdf5::Dataset& series, hsize_t first, hsize_t count, hid_t type,
                   const void* data, const hdf5::FileFault& fault);
void read_series(const hdf5::Dataset& series, hsize_t first, hsize_t count, hid_t type, void* data,
                 const hdf5::FileFault& fault);

}  // namespace grapple::record::layout
