// libhdf5, loaded when a file first needs it.
//
//   header    is not needed: the functions are declared here as in versions 1.10 to 1.14 (hid_t has
//             64 bits since 1.10; older versions are refused)
//   threads   one at a time, since most builds of libhdf5 are not thread-safe
//   errors    its error stack is never printed; our message quotes the innermost reason
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace onefold::io::hdf5 {

using Id = int64_t;
using Count = unsigned long long;
using Result = int;  // negative: failed
using Visit = Result (*)(Id group, const char* name, const void* info, void* context);

// X(result, name, parameters), for each function
#define ONEFOLD_HDF5(X)                                                                           \
  X(Result, H5dont_atexit)                                                                        \
  X(Result, H5open)                                                                               \
  X(Result, H5get_libversion, unsigned*, unsigned*, unsigned*)                                    \
  X(Result, H5free_memory, void*)                                                                 \
  X(Result, H5Eset_auto2, Id, void*, void*)                                                       \
  X(Result, H5Ewalk2, Id, int, Result (*)(unsigned, const void*, void*), void*)                   \
  X(Id, H5Fopen, const char*, unsigned, Id)                                                       \
  X(Result, H5Fclose, Id)                                                                         \
  X(Id, H5Gopen2, Id, const char*, Id)                                                            \
  X(Result, H5Gclose, Id)                                                                         \
  X(Result, H5Gget_objinfo, Id, const char*, int, void*)                                          \
  X(Id, H5Dopen2, Id, const char*, Id)                                                            \
  X(Result, H5Dclose, Id)                                                                         \
  X(Id, H5Dget_space, Id)                                                                         \
  X(Id, H5Dget_type, Id)                                                                          \
  X(Id, H5Dget_create_plist, Id)                                                                  \
  X(Result, H5Dread, Id, Id, Id, Id, Id, void*)                                                   \
  X(int, H5Sget_simple_extent_type, Id)                                                           \
  X(int, H5Sget_simple_extent_ndims, Id)                                                          \
  X(int, H5Sget_simple_extent_dims, Id, Count*, Count*)                                           \
  X(Id, H5Screate_simple, int, const Count*, const Count*)                                        \
  X(Result, H5Sselect_hyperslab, Id, int, const Count*, const Count*, const Count*, const Count*) \
  X(Result, H5Sclose, Id)                                                                         \
  X(int, H5Tget_class, Id)                                                                        \
  X(std::size_t, H5Tget_size, Id)                                                                 \
  X(int, H5Tget_order, Id)                                                                        \
  X(int, H5Tget_sign, Id)                                                                         \
  X(int, H5Tget_norm, Id)                                                                         \
  X(Result, H5Tget_fields, Id, std::size_t*, std::size_t*, std::size_t*, std::size_t*,            \
    std::size_t*)                                                                                 \
  X(std::size_t, H5Tget_ebias, Id)                                                                \
  X(int, H5Tis_variable_str, Id)                                                                  \
  X(std::size_t, H5Tget_precision, Id)                                                            \
  X(Id, H5Tget_super, Id)                                                                         \
  X(int, H5Tget_nmembers, Id)                                                                     \
  X(char*, H5Tget_member_name, Id, unsigned)                                                      \
  X(Id, H5Tget_member_type, Id, unsigned)                                                         \
  X(std::size_t, H5Tget_member_offset, Id, unsigned)                                              \
  X(Id, H5Tcopy, Id)                                                                              \
  X(Result, H5Tset_order, Id, int)                                                                \
  X(Result, H5Tset_size, Id, std::size_t)                                                         \
  X(Result, H5Tclose, Id)                                                                         \
  X(Id, H5Pcreate, Id)                                                                            \
  X(Result, H5Pclose, Id)                                                                         \
  X(Count, H5Dget_storage_size, Id)                                                               \
  X(int, H5Pget_layout, Id)                                                                       \
  X(int, H5Pget_chunk, Id, int, Count*)                                                           \
  X(int, H5Pget_external_count, Id)                                                               \
  X(int, H5Pget_nfilters, Id)                                                                     \
  X(int, H5Pget_filter2, Id, unsigned, unsigned*, std::size_t*, unsigned*, std::size_t, char*,    \
    unsigned*)                                                                                    \
  X(int, H5Zfilter_avail, int)                                                                    \
  X(Result, H5Pset_chunk_cache, Id, std::size_t, std::size_t, double)                             \
  X(Result, H5Pset_elink_cb, Id,                                                                  \
    Result (*)(const char*, const char*, const char*, const char*, unsigned*, Id, void*), void*)  \
  X(int, H5Aexists, Id, const char*)                                                              \
  X(Id, H5Aopen, Id, const char*, Id)                                                             \
  X(Id, H5Aget_type, Id)                                                                          \
  X(Id, H5Aget_space, Id)                                                                         \
  X(Result, H5Aread, Id, Id, void*)                                                               \
  X(Result, H5Aclose, Id)

struct Library {
#define X(result, name, ...) result (*name)(__VA_ARGS__) = nullptr;
  ONEFOLD_HDF5(X)
#undef X
  Result (*iterate)(Id, int, int, Count*, Visit, void*) = nullptr;  // H5Literate of any version
  // Functions for whole chunks as they are stored; null if this version of libhdf5 has other names
  // for them.
  Result (*chunk_size)(Id, const Count*, Count*) = nullptr;
  Result (*read_chunk)(Id, Id, const Count*, uint32_t*, void*) = nullptr;
  Result (*chunk_count)(Id, Id, Count*) = nullptr;  // H5Dget_num_chunks, of 1.10.5 and later
  // H5Rdereference2, H5Oclose and H5Iget_name; null: axes have no names.
  Id (*dereference)(Id, Id, int, const void*) = nullptr;
  Result (*close_object)(Id) = nullptr;
  long (*name_of)(Id, char*, std::size_t) = nullptr;

  // Types in this machine's byte order, of 1, 2, 4 and 8 bytes.
  Id signed_integer[4], unsigned_integer[4], f32, f64, text;
  Id dataset_access;  // the property list class for access to datasets

  std::string why;      // why it cannot be used; empty: it can
  std::string version;  // "1.10.8"
};

// Gives one caller at a time access to the library.
class Session {
 public:
  Session();
  // Returns why the last call failed, in a few words.
  std::string reason() const;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

// Loads the library at the first call; check `why` before using it.
const Library& library();

// An object of the library, closed by the function for its kind. Needs a Session.
class Handle {
 public:
  Handle() = default;
  Handle(Id id, Result (*close)(Id)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle();
  Id id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  Id id_ = -1;
  Result (*close_)(Id) = nullptr;
};

}  // namespace onefold::io::hdf5
