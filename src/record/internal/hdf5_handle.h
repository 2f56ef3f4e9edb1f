// Thin layer over HDF5's C interface: handles that close themselves, failures that become Error,
// and text and integer attributes of fixed size. Files come from anywhere: whatever is read has its
// type, rank and size checked here first. HDF5 converts and copies what a file says, beyond the end
// of our memory if asked for one value of an array. Internal to the module: it includes hdf5.h.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace grapple::record::hdf5 {

template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
    }
    return *this;
  }
  hid_t get() const { return id_; }
  /// Closes; a negative value is HDF5's report of a failure.
  herr_t reset() { return id_ < 0 ? 0 : Close(std::exchange(id_, H5I_INVALID_HID)); }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Attribute = Handle<H5Aclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Properties = Handle<H5Pclose>;

/// Keeps HDF5 from printing its error stack while alive. Every public function of the module that
/// calls HDF5 holds one (the setting belongs to the thread and to the host program).
class QuietErrors {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// The system's reason for HDF5's last failure ("No space left on device"), else HDF5's own words.
std::string last_cause();

/// Which Error a failure becomes, and the file it is about.
struct FileFault {
  std::string id;
  std::string where;

  /// Passes a result of HDF5 through; throws Error if it is negative, std::bad_alloc if HDF5 had no
  /// memory to write.
  template <typename T>
  T check(T result, std::string_view what) const {
    if (result < 0) fail(what);
    return result;
  }
  [[noreturn]] void fail(std::string_view what) const;
  /// What was read cannot be what this program writes; HDF5 itself found no fault.
  [[noreturn]] void refuse(std::string_view what) const;
  /// Size of the file; 0 if it cannot be told.
  std::uint64_t file_bytes() const;
};

/// Stores the file format and turns time stamps and lock failures of the file system off.
Properties file_access(const FileFault& fault);
/// Creation properties of a class (H5P_GROUP_CREATE, ...) without time stamps.
Properties untimed(hid_t property_class, const FileFault& fault);

/// Cuts HDF5 off from an open file: the file stays as it is now, and whatever HDF5 still writes
/// (closing after a failed write would damage it) goes to memory and is lost.
void detach(const File& file);

/// UTF-8 text type of fixed size, padded with zero bytes.
Type text_type(std::size_t bytes, const FileFault& fault);

/// Creates an attribute that holds `text` and has room for `capacity` bytes; text beyond is cut.
void create_text(hid_t object, const char* name, std::string_view text, std::size_t capacity,
                 const FileFault& fault);
/// Creates an attribute that just fits.
void create_text(hid_t object, const char* name, std::string_view text, const FileFault& fault);
/// Writes an existing attribute; text beyond its capacity is cut.
void write_text(hid_t object, const char* name, std::string_view text, const FileFault& fault);
std::string read_text(hid_t object, const char* name, const FileFault& fault);

void create_integer(hid_t object, const char* name, std::uint64_t value, const FileFault& fault);
std::uint64_t read_integer(hid_t object, const char* name, const FileFault& fault);

/// Opens a group below the root, reached by hard links alone.
Group open_group(const File& file, const std::string& path, const FileFault& fault);
/// Opens a dataset below the root, reached by hard links alone and stored in the file as it is.
Dataset open_dataset(const File& file, const std::string& path, const Properties& access,
                     const FileFault& fault);
/// Whether the values are stored as exactly this type.
void expect_type(const Dataset& dataset, hid_t type, const std::string& path,
                 const FileFault& fault);
/// One text of fixed size.
std::string read_text_dataset(const Dataset& dataset, const std::string& path,
                              const FileFault& fault);

}  // namespace grapple::record::hdf5
