#include "program/forged_results.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "grapple/record/internal/hdf5_handle.h"

namespace grapple::program {

namespace {

namespace hdf5 = record::hdf5;
using hdf5::Attribute;
using hdf5::Dataset;
using hdf5::File;
using hdf5::Properties;
using hdf5::Space;
using hdf5::Type;

constexpr hsize_t kMany = 4096;
const std::vector<std::string> kValueForms = {"list of integers", "table of integers",
                                              "list of texts",    "text of any length",
                                              "compound",         "real",
                                              "long text",        "nothing",
                                              "largest integer",  "integer of 512 bits",
                                              "opaque",           "reference"};
const std::vector<std::string> kSeriesForms = {"scalar",         "table",
                                               "deep table",     "bytes",
                                               "long texts",     "texts of any length",
                                               "compound",       "compressed",
                                               "huge and empty", "in another file",
                                               "soft link",      "external link",
                                               "group",          "put together",
                                               "big-endian",     "short"};

struct Form {
  Type type;
  Space space;
};

Type text(std::size_t bytes) {
  Type type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), bytes);
  return type;
}

Type compound() {
  Type type(H5Tcreate(H5T_COMPOUND, 1024));
  H5Tinsert(type.get(), "a", 0, H5T_STD_U64LE);
  H5Tinsert(type.get(), "b", 1000, H5T_IEEE_F64LE);
  return type;
}

Type wide_integer() {
  Type type(H5Tcopy(H5T_STD_U64LE));
  H5Tset_size(type.get(), 64);
  H5Tset_precision(type.get(), 512);
  return type;
}

Space simple(const std::vector<hsize_t>& extent) {
  return Space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr));
}

Form form_of(const std::string& name) {
  const auto scalar = [] { return Space(H5Screate(H5S_SCALAR)); };
  if (name == "list of integers") return {Type(H5Tcopy(H5T_STD_U64LE)), simple({kMany})};
  if (name == "table of integers") return {Type(H5Tcopy(H5T_STD_U64LE)), simple({64, 64})};
  if (name == "list of texts") return {text(8), simple({kMany})};
  if (name == "text of any length") return {text(H5T_VARIABLE), scalar()};
  if (name == "compound") return {compound(), scalar()};
  if (name == "real") return {Type(H5Tcopy(H5T_IEEE_F64LE)), scalar()};
  if (name == "long text") return {text(60000), scalar()};
  if (name == "nothing") return {Type(H5Tcopy(H5T_STD_U64LE)), Space(H5Screate(H5S_NULL))};
  if (name == "integer of 512 bits") return {wide_integer(), scalar()};
  if (name == "opaque") return {Type(H5Tcreate(H5T_OPAQUE, 5000)), scalar()};
  if (name == "reference") return {Type(H5Tcopy(H5T_STD_REF_OBJ)), simple({kMany})};
  return {Type(H5Tcopy(H5T_STD_U64LE)), scalar()};  // "largest integer"
}

void forge_attribute(const File& file, const std::string& object, const std::string& attribute,
                     const std::string& form) {
  const hdf5::Handle<H5Oclose> place(H5Oopen(file.get(), object.c_str(), H5P_DEFAULT));
  H5Adelete(place.get(), attribute.c_str());
  const Form made = form_of(form);
  const Attribute forged(H5Acreate2(place.get(), attribute.c_str(), made.type.get(),
                                    made.space.get(), H5P_DEFAULT, H5P_DEFAULT));
  ASSERT_GE(forged.get(), 0) << attribute << ": " << form;
  if (form == "text of any length") {
    const char* words = "words";
    H5Awrite(forged.get(), made.type.get(), &words);
  } else if (form != "nothing") {
    const std::vector<unsigned char> bytes(std::size_t{1} << 20, 0xff);
    H5Awrite(forged.get(), made.type.get(), bytes.data());
  }
}

// Chunked, `rows` long, and nothing in it.
void create_empty(const File& file, const std::string& path, hsize_t rows, bool compressed) {
  const hsize_t unlimited = H5S_UNLIMITED, chunk = 1024;
  const Space space(H5Screate_simple(1, &rows, &unlimited));
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(creation.get(), 1, &chunk);
  if (compressed) H5Pset_deflate(creation.get(), 9);
  const Dataset made(H5Dcreate2(file.get(), path.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                                creation.get(), H5P_DEFAULT));
  ASSERT_GE(made.get(), 0) << path;
}

void create_plain(const File& file, const std::string& path, const Type& type, const Space& space) {
  const Dataset made(H5Dcreate2(file.get(), path.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                H5P_DEFAULT, H5P_DEFAULT));
  ASSERT_GE(made.get(), 0) << path;
}

void create_elsewhere(const File& file, const std::string& path) {
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_external(creation.get(), "/etc/passwd", 0, H5F_UNLIMITED);
  const Space space = simple({200});
  const Dataset made(H5Dcreate2(file.get(), path.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                                creation.get(), H5P_DEFAULT));
  ASSERT_GE(made.get(), 0) << path;
}

void create_virtual(const File& file, const std::string& path) {
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE));
  const Space space = simple({200});
  H5Pset_virtual(creation.get(), space.get(), "results.h5", "/channels", space.get());
  const Dataset made(H5Dcreate2(file.get(), path.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                                creation.get(), H5P_DEFAULT));
  ASSERT_GE(made.get(), 0) << path;
}

// The attributes that make a dataset a channel.
void add_channel_attributes(const File& file, const std::string& path) {
  const hdf5::FileFault fault{"forging", path};
  const hdf5::Handle<H5Oclose> made(H5Oopen(file.get(), path.c_str(), H5P_DEFAULT));
  if (made.get() < 0) return;
  hdf5::create_text(made.get(), "unit", "m", fault);
  hdf5::create_text(made.get(), "description", "", fault);
  hdf5::create_integer(made.get(), "index", 0, fault);
}

void forge_series(const File& file, const std::string& path, const std::string& form) {
  H5Ldelete(file.get(), path.c_str(), H5P_DEFAULT);
  const Type real(H5Tcopy(H5T_IEEE_F64LE));
  if (form == "scalar") create_plain(file, path, real, Space(H5Screate(H5S_SCALAR)));
  if (form == "table") create_plain(file, path, real, simple({300, 300}));
  if (form == "deep table") {
    create_plain(file, path, real, simple(std::vector<hsize_t>(H5S_MAX_RANK, 1)));
  }
  if (form == "bytes") create_plain(file, path, Type(H5Tcopy(H5T_STD_I8LE)), simple({300}));
  if (form == "long texts") create_plain(file, path, text(100000), simple({300}));
  if (form == "texts of any length") create_plain(file, path, text(H5T_VARIABLE), simple({300}));
  if (form == "compound") create_plain(file, path, compound(), simple({300}));
  if (form == "big-endian") create_plain(file, path, Type(H5Tcopy(H5T_IEEE_F64BE)), simple({300}));
  if (form == "short") create_plain(file, path, real, simple({1}));
  if (form == "compressed") create_empty(file, path, hsize_t{1} << 40U, true);
  if (form == "huge and empty") {
    create_empty(file, path, hsize_t{1} << 62U, false);
    const Dataset committed(H5Dopen2(file.get(), "/committed", H5P_DEFAULT));
    const std::array<std::uint64_t, 2> counts{std::uint64_t{1} << 40U, 0};
    if (path != "/committed") {
      H5Dwrite(committed.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts.data());
    }
  }
  if (form == "in another file") create_elsewhere(file, path);
  if (form == "put together") create_virtual(file, path);
  if (form == "soft link") {
    H5Lcreate_soft(path.c_str(), file.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }
  if (form == "external link") {
    H5Lcreate_external("other.h5", "/time", file.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }
  if (form == "group") {
    const hdf5::Group made(
        H5Gcreate2(file.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  if (path.starts_with("/channels/")) add_channel_attributes(file, path);
}

}  // namespace

std::vector<Forgery> forgeries(const std::string& channel) {
  std::vector<Forgery> all;
  const std::string series = "/channels/" + channel;
  const std::vector<std::string> attributes = {
      "/ format",        "/ seed",         "/ program",       "/ version",
      "/ scenario_name", "/ scenario",     "/ status",        "/ cause",
      "/ inputs",        series + " unit", series + " index", series + " description"};
  for (const std::string& place : attributes) {
    for (const std::string& form : kValueForms) all.push_back({place + ": " + form, place, form});
  }
  const std::vector<std::string> datasets = {"/time",        "/committed",        "/scene",
                                             "/events/time", "/events/name",      "/events/row",
                                             series,         "/events/direction", "/channels"};
  for (const std::string& place : datasets) {
    for (const std::string& form : kSeriesForms) all.push_back({place + ": " + form, place, form});
  }
  return all;
}

void forge(const std::filesystem::path& path, const Forgery& forgery) {
  const hdf5::QuietErrors quiet;
  const Properties access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  const File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()));
  ASSERT_GE(file.get(), 0) << path;
  const std::size_t blank = forgery.place.find(' ');
  if (blank == std::string::npos) {
    forge_series(file, forgery.place, forgery.form);
  } else {
    forge_attribute(file, forgery.place.substr(0, blank), forgery.place.substr(blank + 1),
                    forgery.form);
  }
}

void copy_in_oldest_format(const std::filesystem::path& from, const std::filesystem::path& to) {
  const File in(H5Fopen(from.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const Properties access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
  const File out(H5Fcreate(to.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()));
  ASSERT_GE(out.get(), 0) << to;
  for (const char* name : {"time", "committed", "scene", "events", "channels"}) {
    ASSERT_GE(H5Ocopy(in.get(), name, out.get(), name, H5P_DEFAULT, H5P_DEFAULT), 0) << name;
  }
  H5O_info_t info;
  H5Oget_info2(in.get(), &info, H5O_INFO_NUM_ATTRS);
  for (hsize_t k = 0; k < info.num_attrs; ++k) {
    const Attribute old(
        H5Aopen_by_idx(in.get(), ".", H5_INDEX_NAME, H5_ITER_INC, k, H5P_DEFAULT, H5P_DEFAULT));
    std::array<char, 256> name{};
    H5Aget_name(old.get(), name.size(), name.data());
    const Type type(H5Aget_type(old.get()));
    const Space space(H5Aget_space(old.get()));
    std::vector<char> bytes(H5Tget_size(type.get()));
    H5Aread(old.get(), type.get(), bytes.data());
    const Attribute copy(
        H5Acreate2(out.get(), name.data(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
    ASSERT_GE(H5Awrite(copy.get(), type.get(), bytes.data()), 0) << name.data();
  }
}

}  // namespace grapple::program
