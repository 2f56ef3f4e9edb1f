#include "grapple/record/hdf5_handle.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "grapple/base/error.h"
#include "grapple/record/utf8.h"

namespace grapple::record::hdf5 {

namespace {

/// H5Ewalk visitor: keeps the innermost description.
herr_t keep_first(unsigned /*depth*/, const H5E_error2_t* error, void* data) {
  auto& text = *static_cast<std::string*>(data);
  if (text.empty() && error->desc != nullptr) text = error->desc;
  return 0;
}

std::size_t attribute_bytes(hid_t attribute, const Blame& blame) {
  const Type type(blame.check(H5Aget_type(attribute), "reading an attribute"));
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) {
    blame.fail("an attribute is not text");
  }
  return H5Tget_size(type.get());
}

Attribute create(hid_t object, const char* name, hid_t type, const Blame& blame) {
  const Space scalar(blame.check(H5Screate(H5S_SCALAR), "creating an attribute"));
  return Attribute(
      blame.check(H5Acreate2(object, name, type, scalar.get(), H5P_DEFAULT, H5P_DEFAULT),
                  "creating an attribute"));
}

void write_padded(const Attribute& attribute, const Type& type, std::string_view text,
                  std::size_t capacity, const Blame& blame) {
  std::string padded(cut_utf8(text, capacity));
  padded.resize(capacity, '\0');
  blame.check(H5Awrite(attribute.get(), type.get(), padded.data()), "writing an attribute");
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

void Blame::fail(std::string_view what) const {
  throw Error(id, where, fmt::format("{}: {}", what, last_cause()));
}

Properties file_access(const Blame& blame) {
  Properties access(blame.check(H5Pcreate(H5P_FILE_ACCESS), "opening"));
  // One fixed version of the format, so that files do not depend on the library that wrote them;
  // 1.10 is the first that can be read after its writer was killed (SWMR).
  blame.check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "opening");
  // Network file systems without locks must still work; RunDirectory keeps two writers apart.
  blame.check(H5Pset_file_locking(access.get(), 1, 1), "opening");
  return access;
}

Properties untimed(hid_t property_class, const Blame& blame) {
  Properties creation(blame.check(H5Pcreate(property_class), "creating"));
  blame.check(H5Pset_obj_track_times(creation.get(), 0), "creating");
  return creation;
}

void detach(const File& file) {
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle) < 0 || handle == nullptr) return;
  const int memory = memfd_create("grapple-detached", MFD_CLOEXEC);
  if (memory < 0) return;
  const int descriptor = *static_cast<const int*>(handle);  // so the default driver defines it
  // Closing reads the description of the file's free space again, which lies near its beginning.
  std::vector<char> head(std::size_t{1} << 20);
  const ssize_t size = pread(descriptor, head.data(), head.size(), 0);
  if (size > 0 && pwrite(memory, head.data(), static_cast<std::size_t>(size), 0) == size) {
    dup2(memory, descriptor);
  }
  close(memory);
}

Type text_type(std::size_t bytes, const Blame& blame) {
  Type type(blame.check(H5Tcopy(H5T_C_S1), "creating a text type"));
  blame.check(H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1)), "creating a text type");
  blame.check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "creating a text type");
  blame.check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "creating a text type");
  return type;
}

void create_text(hid_t object, const char* name, std::string_view text, std::size_t capacity,
                 const Blame& blame) {
  capacity = std::max<std::size_t>(capacity, 1);
  const Type type = text_type(capacity, blame);
  write_padded(create(object, name, type.get(), blame), type, text, capacity, blame);
}

void create_text(hid_t object, const char* name, std::string_view text, const Blame& blame) {
  create_text(object, name, text, text.size(), blame);
}

void write_text(hid_t object, const char* name, std::string_view text, const Blame& blame) {
  const Attribute attribute(
      blame.check(H5Aopen(object, name, H5P_DEFAULT), "writing an attribute"));
  const std::size_t capacity = attribute_bytes(attribute.get(), blame);
  write_padded(attribute, text_type(capacity, blame), text, capacity, blame);
}

std::string read_text(hid_t object, const char* name, const Blame& blame) {
  const Attribute attribute(
      blame.check(H5Aopen(object, name, H5P_DEFAULT), fmt::format("no attribute '{}'", name)));
  const std::size_t bytes = attribute_bytes(attribute.get(), blame);
  std::string text(bytes, '\0');
  blame.check(H5Aread(attribute.get(), text_type(bytes, blame).get(), text.data()),
              "reading an attribute");
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

void create_integer(hid_t object, const char* name, std::uint64_t value, const Blame& blame) {
  const Attribute attribute = create(object, name, H5T_STD_U64LE, blame);
  blame.check(H5Awrite(attribute.get(), H5T_NATIVE_UINT64, &value), "writing an attribute");
}

std::uint64_t read_integer(hid_t object, const char* name, const Blame& blame) {
  const Attribute attribute(
      blame.check(H5Aopen(object, name, H5P_DEFAULT), fmt::format("no attribute '{}'", name)));
  std::uint64_t value = 0;
  blame.check(H5Aread(attribute.get(), H5T_NATIVE_UINT64, &value), "reading an attribute");
  return value;
}

}  // namespace grapple::record::hdf5
