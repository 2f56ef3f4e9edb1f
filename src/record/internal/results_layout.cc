#include "grapple/record/internal/results_layout.h"

#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>

#include "grapple/base/error.h"

namespace grapple::record::layout {

namespace {

using hdf5::Dataset;
using hdf5::File;
using hdf5::FileFault;
using hdf5::Group;
using hdf5::Properties;
using hdf5::Space;

void create_group(const File& file, const std::string& path, const FileFault& fault) {
  const Properties creation = hdf5::untimed(H5P_GROUP_CREATE, fault);
  const Group group(
      fault.check(H5Gcreate2(file.get(), path.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                  "creating a group"));
}

Dataset create_series(const File& file, const std::string& path, hid_t type, hsize_t chunk,
                      const FileFault& fault) {
  const hsize_t length = 0;
  const hsize_t unlimited = H5S_UNLIMITED;
  const Space space(fault.check(H5Screate_simple(1, &length, &unlimited), "creating a series"));
  const Properties creation = hdf5::untimed(H5P_DATASET_CREATE, fault);
  fault.check(H5Pset_chunk(creation.get(), 1, &chunk), "creating a series");
  return Dataset(fault.check(H5Dcreate2(file.get(), path.c_str(), type, space.get(), H5P_DEFAULT,
                                        creation.get(), H5P_DEFAULT),
                             "creating a series"));
}

void create_root_attributes(const File& file, const RunInfo& info, const FileFault& fault) {
  const hid_t root = file.get();
  // The two that change later come first and the long one last, so that they share no page.
  hdf5::create_text(root, "status", status_text(RunStatus::kRunning), kStatusBytes, fault);
  hdf5::create_text(root, "cause", "", kCauseBytes, fault);
  hdf5::create_integer(root, "format", kFormat, fault);
  hdf5::create_text(root, "program", info.program, fault);
  hdf5::create_text(root, "version", info.version, fault);
  hdf5::create_text(root, "scenario_name", info.scenario_name, fault);
  hdf5::create_integer(root, "seed", info.seed, fault);
  if (!info.inputs.empty()) hdf5::create_text(root, "inputs", info.inputs, fault);
  hdf5::create_text(root, "scenario", info.scenario, fault);
}

/// One text of fixed size in a dataset: an attribute would be limited to 64 KiB.
void create_scene(const File& file, const std::string& scene, const FileFault& fault) {
  if (scene.empty()) return;
  const Space space(fault.check(H5Screate(H5S_SCALAR), "creating the scene"));
  const hdf5::Type type = hdf5::text_type(scene.size(), fault);
  const Properties creation = hdf5::untimed(H5P_DATASET_CREATE, fault);
  Dataset dataset(fault.check(H5Dcreate2(file.get(), kScene, type.get(), space.get(), H5P_DEFAULT,
                                         creation.get(), H5P_DEFAULT),
                              "creating the scene"));
  fault.check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, scene.data()),
              "writing the scene");
  fault.check(dataset.reset(), "writing the scene");  // small ones leave their buffer only now
}

void create_channels(const File& file, const std::vector<ChannelInfo>& channels,
                     std::size_t chunk_rows, const FileFault& fault) {
  create_group(file, kChannels, fault);
  std::set<std::string> groups{kChannels};
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const std::string path = channel_path(channels[i]);
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      const std::string group = path.substr(0, slash);
      if (groups.insert(group).second) create_group(file, group, fault);
    }
    const Dataset series = create_series(file, path, H5T_IEEE_F64LE, chunk_rows, fault);
    hdf5::create_text(series.get(), "unit", channels[i].unit, fault);
    hdf5::create_text(series.get(), "description", channels[i].description, fault);
    if (!channels[i].shown.empty()) {
      hdf5::create_text(series.get(), "shown", channels[i].shown, fault);
    }
    hdf5::create_integer(series.get(), "index", i, fault);
  }
}

void create_events(const File& file, const FileFault& fault) {
  create_group(file, "/events", fault);
  const Dataset time = create_series(file, kEventTime, H5T_IEEE_F64LE, kEventChunk, fault);
  hdf5::create_text(time.get(), "unit", "s", fault);
  create_series(file, kEventName, hdf5::text_type(kEventNameBytes, fault).get(), kEventChunk,
                fault);
  create_series(file, kEventDirection, H5T_STD_I32LE, kEventChunk, fault);
  create_series(file, kEventRow, H5T_STD_U64LE, kEventChunk, fault);
}

/// Contiguous and allocated at once: a later commit changes these 16 bytes and no metadata.
void create_commit_record(const File& file, const FileFault& fault) {
  const hsize_t length = 2;
  const Space space(fault.check(H5Screate_simple(1, &length, nullptr), "creating a series"));
  const Properties creation = hdf5::untimed(H5P_DATASET_CREATE, fault);
  fault.check(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), "creating a series");
  const Dataset record(fault.check(H5Dcreate2(file.get(), kCommitted, H5T_STD_U64LE, space.get(),
                                              H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                                   "creating a series"));
}

void fill_file(const File& file, const RunInfo& info, const std::vector<ChannelInfo>& channels,
               std::size_t chunk_rows, const FileFault& fault) {
  create_root_attributes(file, info, fault);
  create_scene(file, info.scene, fault);
  {
    const Dataset time = create_series(file, kTime, H5T_IEEE_F64LE, chunk_rows, fault);
    hdf5::create_text(time.get(), "unit", "s", fault);
  }
  create_events(file, fault);
  create_channels(file, channels, chunk_rows, fault);
  create_commit_record(file, fault);
  fault.check(H5Fstart_swmr_write(file.get()), "starting single-writer mode");
}

/// Writes and drops 64 KiB and the long texts: HDF5 cannot recover from a disk too full for what a
/// new file begins with.
void check_space(const std::filesystem::path& path, const RunInfo& info, const FileFault& fault) {
  std::ofstream probe(path, std::ios::binary);
  const std::size_t bytes = 65536 + info.scenario.size() + info.scene.size();
  if (!(probe << std::string(bytes, '\0') << std::flush)) {
    throw Error(fault.id, fault.where,
                "the file could not be created: " + std::generic_category().message(errno));
  }
}

File create_empty(const std::filesystem::path& path, const RunInfo& info,
                  const Properties& creation, const FileFault& fault) {
  check_space(path, info, fault);
  const Properties access = hdf5::file_access(fault);
  // The note about paged allocation is an object that HDF5 makes from the default properties of
  // groups; only through them can its time stamp be turned off.
  hbool_t stamped = 1;
  H5Pget_obj_track_times(H5P_GROUP_CREATE_DEFAULT, &stamped);
  H5Pset_obj_track_times(H5P_GROUP_CREATE_DEFAULT, 0);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get());
  const std::string cause = file < 0 ? hdf5::last_cause() : "";
  H5Pset_obj_track_times(H5P_GROUP_CREATE_DEFAULT, stamped);
  if (file < 0) {
    throw Error(fault.id, fault.where, "the file could not be created: " + cause);
  }
  return File(file);
}

/// Memory and file spaces for elements first ... first + count - 1.
struct Selection {
  Space memory;
  Space file;
};

Selection select(const Dataset& series, hsize_t first, hsize_t count, const FileFault& fault) {
  Selection selection{Space(fault.check(H5Screate_simple(1, &count, nullptr), "selecting rows")),
                      Space(fault.check(H5Dget_space(series.get()), "selecting rows"))};
  fault.check(
      H5Sselect_hyperslab(selection.file.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr),
      "selecting rows");
  return selection;
}

}  // namespace

std::string channel_path(const ChannelInfo& channel) {
  return std::string(kChannels) + "/" + channel.name;
}

File create_file(const std::filesystem::path& path, const RunInfo& info,
                 const std::vector<ChannelInfo>& channels, std::size_t chunk_rows,
                 const FileFault& fault) {
  const Properties creation = hdf5::untimed(H5P_FILE_CREATE, fault);
  // A killed process may leave its last write cut at a border of memory pages (4 KiB). Paged
  // allocation keeps every small piece of metadata within one page: the old or the new, never half.
  fault.check(H5Pset_file_space_strategy(creation.get(), H5F_FSPACE_STRATEGY_PAGE, 0, 1),
              "the file could not be created");
  fault.check(H5Pset_file_space_page_size(creation.get(), 4096), "the file could not be created");
  File file = create_empty(path, info, creation, fault);
  try {
    fill_file(file, info, channels, chunk_rows, fault);
  } catch (const Error&) {
    hdf5::detach(file);
    throw;
  }
  return file;
}

Dataset open_series(const File& file, const std::string& path, const FileFault& fault) {
  const Properties access(fault.check(H5Pcreate(H5P_DATASET_ACCESS), "opening a series"));
  fault.check(H5Pset_chunk_cache(access.get(), 1, 0, H5D_CHUNK_CACHE_W0_DEFAULT),
              "opening a series");
  return hdf5::open_dataset(file, path, access, fault);
}

Dataset open_series(const File& file, const std::string& path, hid_t type, const FileFault& fault) {
  Dataset series = open_series(file, path, fault);
  hdf5::expect_type(series, type, path, fault);
  return series;
}

hsize_t series_length(const Dataset& series, const FileFault& fault) {
  const Space space(fault.check(H5Dget_space(series.get()), "reading a series"));
  if (H5Sget_simple_extent_ndims(space.get()) != 1) fault.refuse("a series is not one list");
  hsize_t length = 0;
  fault.check(H5Sget_simple_extent_dims(space.get(), &length, nullptr), "reading a series");
  return length;
}

void append_series(const Dataset& series, hsize_t first, hsize_t count, hid_t type,
                   const void* data, const FileFault& fault) {
  const hsize_t length = first + count;
  fault.check(H5Dset_extent(series.get(), &length), "results could not be written");
  const Selection selection = select(series, first, count, fault);
  fault.check(
      H5Dwrite(series.get(), type, selection.memory.get(), selection.file.get(), H5P_DEFAULT, data),
      "results could not be written");
}

void read_series(const Dataset& series, hsize_t first, hsize_t count, hid_t type, void* data,
                 const FileFault& fault) {
  if (count == 0) return;
  const Selection selection = select(series, first, count, fault);
  fault.check(
      H5Dread(series.get(), type, selection.memory.get(), selection.file.get(), H5P_DEFAULT, data),
      "results could not be read");
}

std::string read_scene(const File& file, const FileFault& fault) {
  if (fault.check(H5Lexists(file.get(), kScene, H5P_DEFAULT), "looking for the scene") == 0) {
    return {};
  }
  return hdf5::read_text_dataset(open_series(file, kScene, fault), kScene, fault);
}

}  // namespace grapple::record::layout
