#include "grapple/record/internal/hdf5_handle.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <system_error>

#include "grapple/base/error.h"
#include "grapple/record/internal/utf8.h"

namespace grapple::record::hdf5 {

namespace {

/// H5Ewalk visitor: keeps the innermost description.
herr_t keep_first(unsigned /*depth*/, const H5E_error2_t* error, void* data) {
  auto& text = *static_cast<std::string*>(data);
  if (text.empty() && error->desc != nullptr) text = error->desc;
  return 0;
}

/// Bytes of a text of fixed size.
std::size_t text_bytes(hid_t type, std::string_view what, const FileFault& fault) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) {
    fault.refuse(fmt::format("{} is not a text of fixed size", what));
  }
  return H5Tget_size(type);
}

/// Memory for a text of the file, which is not longer than the file.
std::string empty_text(std::size_t bytes, std::string_view what, const FileFault& fault) {
  if (bytes == 0 || bytes > fault.file_bytes()) {
    fault.refuse(fmt::format("{} is longer than the file", what));
  }
  return std::string(bytes, '\0');
}

void remove_padding(std::string& text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
}

void expect_one_value(hid_t space, std::string_view what, const FileFault& fault) {
  if (H5Sget_simple_extent_npoints(space) != 1) {
    fault.refuse(fmt::format("{} has not one value", what));
  }
}

/// An attribute of one value.
Attribute open_attribute(hid_t object, const char* name, const FileFault& fault) {
  Attribute attribute(
      fault.check(H5Aopen(object, name, H5P_DEFAULT), fmt::format("no attribute '{}'", name)));
  const Space space(fault.check(H5Aget_space(attribute.get()), "reading an attribute"));
  expect_one_value(space.get(), fmt::format("attribute '{}'", name), fault);
  return attribute;
}

std::size_t attribute_bytes(const Attribute& attribute, const char* name, const FileFault& fault) {
  const Type type(fault.check(H5Aget_type(attribute.get()), "reading an attribute"));
  return text_bytes(type.get(), fmt::format("attribute '{}'", name), fault);
}

Attribute create(hid_t object, const char* name, hid_t type, const FileFault& fault) {
  const Space scalar(fault.check(H5Screate(H5S_SCALAR), "creating an attribute"));
  return Attribute(
      fault.check(H5Acreate2(object, name, type, scalar.get(), H5P_DEFAULT, H5P_DEFAULT),
                  "creating an attribute"));
}

void write_padded(const Attribute& attribute, const Type& type, std::string_view text,
                  std::size_t capacity, const FileFault& fault) {
  std::string padded(cut_utf8(text, capacity));
  padded.resize(capacity, '\0');
  fault.check(H5Awrite(attribute.get(), type.get(), padded.data()), "writing an attribute");
}

}  // namespace

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

std::string last_cause() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  // The file drivers' description also holds addresses and the time of day: keep only the reason.
  constexpr std::string_view kMark = "error message = '";
  if (const std::size_t at = text.find(kMark); at != std::string::npos) {
    const std::size_t begin = at + kMark.size();
    return text.substr(begin, text.find('\'', begin) - begin);
  }
  return text.empty() ? "unknown cause" : text;
}

namespace {

/// H5Ewalk visitor: whether memory ran out. Most places say so by codes, the cache by words alone.
herr_t note_lack_of_memory(unsigned /*depth*/, const H5E_error2_t* error, void* data) {
  const std::string_view words = error->desc == nullptr ? "" : error->desc;
  *static_cast<bool*>(data) |= (error->maj_num == H5E_RESOURCE && error->min_num == H5E_NOSPACE) ||
                               words.starts_with("memory allocation failed");
  return 0;
}

}  // namespace

void FileFault::fail(std::string_view what) const {
  bool no_memory = false;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_lack_of_memory, &no_memory);
  // A damaged file that is read may ask for more memory than there is: then the file is at fault.
  if (no_memory && id == "GR-503") throw std::bad_alloc();
  throw Error(id, where, fmt::format("{}: {}", what, last_cause()));
}

void FileFault::refuse(std::string_view what) const {
  throw Error(id, where, fmt::format("the file is damaged: {}", what));
}

std::uint64_t FileFault::file_bytes() const {
  std::error_code fault;
  const std::uintmax_t bytes = std::filesystem::file_size(where, fault);
  return fault ? 0 : bytes;
}

Properties file_access(const FileFault& fault) {
  Properties access(fault.check(H5Pcreate(H5P_FILE_ACCESS), "opening"));
  // One fixed version of the format, so that files do not depend on the library that wrote them;
  // 1.10 is the first that can be read after its writer was killed (SWMR).
  fault.check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "opening");
  // Network file systems without locks must still work; RunDirectory keeps two writers apart.
  fault.check(H5Pset_file_locking(access.get(), 1, 1), "opening");
  return access;
}

Properties untimed(hid_t property_class, const FileFault& fault) {
  Properties creation(fault.check(H5Pcreate(property_class), "creating"));
  fault.check(H5Pset_obj_track_times(creation.get(), 0), "creating");
  return creation;
}

void detach(const File& file) {
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle) < 0 || handle == nullptr) return;
  const int memory = memfd_create("grapple-detached", MFD_CLOEXEC);
  if (memory < 0) return;
  const int descriptor = *static_cast<const int*>(handle);  // so the default driver defines it
  // Closing reads the description of the file's free space again, which lies near its beginning:
  // the first MiB, without allocating, since memory may be what has run out.
  constexpr off_t kHead = off_t{1} << 20;
  char block[4096];
  off_t at = 0;
  for (ssize_t size = 0; at < kHead; at += size) {
    size = pread(descriptor, block, sizeof block, at);
    if (size <= 0 || pwrite(memory, block, static_cast<std::size_t>(size), at) != size) break;
  }
  if (at > 0) dup2(memory, descriptor);
  close(memory);
}

Type text_type(std::size_t bytes, const FileFault& fault) {
  Type type(fault.check(H5Tcopy(H5T_C_S1), "creating a text type"));
  fault.check(H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1)), "creating a text type");
  fault.check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "creating a text type");
  fault.check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "creating a text type");
  return type;
}

void create_text(hid_t object, const char* name, std::string_view text, std::size_t capacity,
                 const FileFault& fault) {
  capacity = std::max<std::size_t>(capacity, 1);
  const Type type = text_type(capacity, fault);
  write_padded(create(object, name, type.get(), fault), type, text, capacity, fault);
}

void create_text(hid_t object, const char* name, std::string_view text, const FileFault& fault) {
  create_text(object, name, text, text.size(), fault);
}

void write_text(hid_t object, const char* name, std::string_view text, const FileFault& fault) {
  const Attribute attribute(
      fault.check(H5Aopen(object, name, H5P_DEFAULT), "writing an attribute"));
  const std::size_t capacity = attribute_bytes(attribute, name, fault);
  write_padded(attribute, text_type(capacity, fault), text, capacity, fault);
}

std::string read_text(hid_t object, const char* name, const FileFault& fault) {
  const Attribute attribute = open_attribute(object, name, fault);
  const std::size_t bytes = attribute_bytes(attribute, name, fault);
  std::string text = empty_text(bytes, fmt::format("attribute '{}'", name), fault);
  fault.check(H5Aread(attribute.get(), text_type(bytes, fault).get(), text.data()),
              "reading an attribute");
  remove_padding(text);
  return text;
}

void create_integer(hid_t object, const char* name, std::uint64_t value, const FileFault& fault) {
  const Attribute attribute = create(object, name, H5T_STD_U64LE, fault);
  fault.check(H5Awrite(attribute.get(), H5T_NATIVE_UINT64, &value), "writing an attribute");
}

std::uint64_t read_integer(hid_t object, const char* name, const FileFault& fault) {
  const Attribute attribute = open_attribute(object, name, fault);
  const Type type(fault.check(H5Aget_type(attribute.get()), "reading an attribute"));
  if (H5Tequal(type.get(), H5T_STD_U64LE) <= 0) {
    fault.refuse(fmt::format("attribute '{}' is not a whole number of 64 bits", name));
  }
  std::uint64_t value = 0;
  fault.check(H5Aread(attribute.get(), H5T_NATIVE_UINT64, &value), "reading an attribute");
  return value;
}

namespace {

/// Hard links only: the others lead to other places and to other files.
void expect_hard_links(const File& file, const std::string& path, const FileFault& fault) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string link = path.substr(0, slash);
    H5L_info_t info;
    fault.check(H5Lget_info(file.get(), link.c_str(), &info, H5P_DEFAULT),
                fmt::format("no '{}'", link));
    if (info.type != H5L_TYPE_HARD) {
      fault.refuse(fmt::format("'{}' leads to another place or file", link));
    }
    if (slash == std::string::npos) return;
  }
}

/// Data that lie in the file as they are: not compressed, not elsewhere, not put together.
void expect_plain_storage(const Dataset& dataset, const std::string& path, const FileFault& fault) {
  const Properties creation(
      fault.check(H5Dget_create_plist(dataset.get()), "reading the layout of a series"));
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  const bool plain = (layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED) &&
                     H5Pget_nfilters(creation.get()) == 0 &&
                     H5Pget_external_count(creation.get()) == 0;
  if (!plain) {
    fault.refuse(
        fmt::format("'{}' is compressed, filtered or stored outside of the file "
                    "(`h5repack -f NONE` makes it plain)",
                    path));
  }
}

}  // namespace

Group open_group(const File& file, const std::string& path, const FileFault& fault) {
  expect_hard_links(file, path, fault);
  return Group(fault.check(H5Gopen2(file.get(), path.c_str(), H5P_DEFAULT), "no '" + path + "'"));
}

Dataset open_dataset(const File& file, const std::string& path, const Properties& access,
                     const FileFault& fault) {
  expect_hard_links(file, path, fault);
  Dataset dataset(
      fault.check(H5Dopen2(file.get(), path.c_str(), access.get()), "no series '" + path + "'"));
  expect_plain_storage(dataset, path, fault);
  return dataset;
}

void expect_type(const Dataset& dataset, hid_t type, const std::string& path,
                 const FileFault& fault) {
  const Type stored(fault.check(H5Dget_type(dataset.get()), "reading a series"));
  if (H5Tequal(stored.get(), type) <= 0) {
    fault.refuse(fmt::format("'{}' holds another type of values", path));
  }
}

std::string read_text_dataset(const Dataset& dataset, const std::string& path,
                              const FileFault& fault) {
  const Type stored(fault.check(H5Dget_type(dataset.get()), "reading a text"));
  const std::string what = fmt::format("'{}'", path);
  const std::size_t bytes = text_bytes(stored.get(), what, fault);
  const Space space(fault.check(H5Dget_space(dataset.get()), "reading a text"));
  expect_one_value(space.get(), what, fault);
  std::string text = empty_text(bytes, what, fault);
  fault.check(H5Dread(dataset.get(), text_type(bytes, fault).get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                      text.data()),
              "reading a text");
  remove_padding(text);
  return text;
}

}  // namespace grapple::record::hdf5
