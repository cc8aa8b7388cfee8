/// The Distributed Array Protocol in C: one process's part of a distributed array is one object, which is handed over
/// without copying. This header is the specification. It is C99 and C++. Making and taking an array needs no library.
///
/// Handing over. The producer allocates a `dap_array` and everything that it points at, and gives a pointer to it to
/// the consumer. The holder of the pointer owns the array. It calls `deleter(self)` exactly once, when it no longer
/// uses the array and its memory, or when it refuses the array. If it passes the pointer on, the receiver becomes the
/// owner. `deleter` may be called from any thread. It is local, never communicates, never throws, and frees the
/// `dap_array` too. The object is never moved or duplicated by copying its bytes: only the address that was handed over
/// is the array. Until `deleter` is called the structs do not change, but the elements may. The one exception: the
/// owner may set streams and events to NULL when it has waited for them.
///
/// Versions. `major` and `minor` are the version of this layout. `protocol_version` is the version of the protocol. A
/// consumer that does not know the major reads nothing after `flags`, calls `deleter`, and refuses the array. A new
/// minor version may give a meaning to a flag or to reserved fields; a consumer that does not know this meaning may
/// ignore it. A new minor version may also add a device type or a format; a consumer that does not know it refuses the
/// array. A producer states the lowest minor that has everything it uses. All that this minor reserves is zero.
///
/// Numbers. Extents, counts and indices are `int64_t` and count elements; strides count bytes. A count is the true
/// length of a list and does not exceed the limits below. So a consumer can check it before it follows a pointer. A
/// pointer whose count is 0 may be NULL. Structs and lists are aligned as in C; elements and indices need not be
/// aligned. A flag in a `uint8_t` is 0 or 1. Fields that a kind of dimension does not use are zero: start from a zeroed
/// object, and set the fields that are used.
///
/// Collective. The object does not contain a communicator. The product of all `proc_grid_size` is the number of
/// processes. The rank of a process is the row-major number of its `proc_grid_rank`s. Every process hands over its own
/// object.
///
/// Calls. A function that hands over or takes an array returns an int: DAP_OK, or the kind of failure. Its arguments
/// `char* message, size_t message_size` receive the reason: at most `message_size` bytes, always ended by a NUL; (NULL,
/// 0) is allowed. If it fails, it hands over nothing, and an array that it was to take is released.

#ifndef TRIDAP_DAP_H
#define TRIDAP_DAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DAP_MAJOR 1u  ///< of the layout in this header
#define DAP_MINOR 1u  ///< 1 added the format `E`

/// The version of the library whose header this is. Without the library, it says nothing.
#define TRIDAP_VERSION_MAJOR 0
#define TRIDAP_VERSION_MINOR 2
#define TRIDAP_VERSION_PATCH 0
/// Whether it is at least major.minor.patch, for `#if`.
#define TRIDAP_VERSION_GE(major, minor, patch)                                            \
  (TRIDAP_VERSION_MAJOR * 1000000 + TRIDAP_VERSION_MINOR * 1000 + TRIDAP_VERSION_PATCH >= \
   (major)*1000000 + (minor)*1000 + (patch))

#define DAP_FLAG_READ_ONLY 1u  ///< the elements must not be written
#define DAP_FLAG_COPIED 2u     ///< the memory is a copy: writing it does not change the producer's array

#define DAP_MAX_COUNT 1048576    ///< axes, dimensions, and extras of a dimension
#define DAP_MAX_NAME 1024        ///< bytes of a version, a format or a key
#define DAP_MAX_JSON 1073741824  ///< bytes of an extra's JSON text

/// What a call returns.
enum dap_status {
  DAP_OK = 0,
  DAP_UNKNOWN_MAJOR = 1,  ///< the array has another major version than this header
  DAP_INVALID = 2,        ///< it breaks a rule of this header or of the protocol, or is more than the callee can hold
  DAP_NO_MEMORY = 3,
  DAP_FAILED = 4  ///< anything else
};

/// Where memory is, by DLPack's numbers. DLPack's other numbers are allowed too.
enum dap_device_type {
  DAP_DEVICE_HOST = 1,  ///< `id` is 0
  DAP_DEVICE_CUDA = 2,
  DAP_DEVICE_CUDA_HOST = 3,  ///< host memory that is pinned
  DAP_DEVICE_ROCM = 10,
  DAP_DEVICE_ROCM_HOST = 11,  ///< host memory that is pinned
  DAP_DEVICE_CUDA_MANAGED = 13,
  DAP_DEVICE_ONEAPI = 14
};

/// UTF-8 text of `size` bytes. It need not end with a NUL, and bytes after it are not read.
typedef struct dap_text {
  const char* data;
  int64_t size;
} dap_text;

/// Where memory is, and when it may be used there. If there is an event, the consumer's work waits for it. If there is
/// only a stream, it waits for all work that is in the stream when the array is handed over. If there is neither, the
/// memory may be used at once. Stream and event exist as long as the array.
typedef struct dap_device {
  int32_t type;  ///< a dap_device_type, or another DLPack number
  int32_t id;    ///< at least 0
  void* stream;  ///< cudaStream_t, hipStream_t, sycl::queue*, never CUDA's 0 but cudaStreamLegacy (1); NULL: none
  void* event;   ///< cudaEvent_t, hipEvent_t, sycl::event*; NULL: none
  uint64_t reserved[2];
} dap_device;

/// The elements in this process's memory. A 2 x 3 row-major array of double has shape {2, 3} and strides {24, 8}.
///
/// `format` is one element as PEP 3118 writes it: a byte order, then a type. With `<` (little-endian), `>` or `!`
/// (big-endian) and `=` (this machine's order) the lengths are the standard ones. With `@` or no byte order, the order
/// is this machine's and the lengths are those of its C compiler.
///
/// Elements that share memory with each other may be read, but not written. The total bytes of all elements, and the
/// bytes from the lowest to the highest element, fit an int64_t.
///
/// | type | element | bytes: standard, `@` |
/// |---|---|---|
/// | `?` | boolean | 1, sizeof(_Bool) |
/// | `b` `B`, `h` `H`, `i` `I`, `q` `Q` | signed, unsigned integer | 1, 2, 4, 8; sizeof char, short, int, long long |
/// | `l` `L`, `n` `N` | signed, unsigned integer | 4, sizeof(long); `n` with `@` only: sizeof(size_t) |
/// | `e` `f` `d` | IEEE floating point | 2, 4, 8 |
/// | `g` | floating point | `@` only: sizeof(long double) |
/// | `E` | bfloat16, the upper half of an IEEE number of 4 bytes; since minor version 1, and not of PEP 3118 | 2 |
/// | `Zf` `Zd` `Zg` | complex: real part, then imaginary part | twice the part's |
/// | `5x` `5s` | 5 opaque bytes; the length is at least 1, and 1 if it is absent | as stated |
typedef struct dap_buffer {
  void* data;              ///< address of element (0, ..., 0); NULL only if there are no elements
  int64_t ndim;            ///< at most DAP_MAX_COUNT
  const int64_t* shape;    ///< `ndim` local extents, elements, at least 0
  const int64_t* strides;  ///< `ndim` strides, bytes; any value is allowed, also a negative one, 0 or an odd one
  dap_text format;         ///< of one element; at most DAP_MAX_NAME bytes
  dap_device device;
  uint64_t reserved[4];
} dap_buffer;

/// The global indices of an unstructured dimension: integers of any width, byte order and stride. They are only read.
typedef struct dap_indices {
  const void* data;  ///< address of the first index; NULL only if there are none
  int64_t count;     ///< at least 0
  int64_t stride;    ///< bytes from one to the next
  dap_text format;   ///< as in dap_buffer
  dap_device device;
  uint64_t reserved[2];
} dap_indices;

/// A key that the protocol does not define. It is passed on unchanged. It differs from all keys of the protocol and is
/// in a list once.
typedef struct dap_extra {
  dap_text key;   ///< at most DAP_MAX_NAME bytes
  dap_text json;  ///< the value as JSON text, each key once and at most 64 levels deep; at most DAP_MAX_JSON bytes
  uint64_t reserved[2];
} dap_extra;

/// One dimension dictionary. The protocol defines its values and which of them are valid. An empty dictionary is
/// written in full: 'b', `size` and `stop` are the buffer's extent, `proc_grid_size` is 1.
typedef struct dap_dimension {
  char dist_type;       ///< 'b' block, 'c' cyclic, 'u' unstructured; under protocol 0.9 also 'n', not distributed
  uint8_t periodic;     ///< flag
  uint8_t has_padding;  ///< flag, 'b' and 'n': there is a key `padding`; no key is not the same as (0, 0)
  uint8_t one_to_one;   ///< flag, 'u'
  uint8_t reserved_flags[4];
  int64_t size;            ///< global extent, elements
  int64_t proc_grid_size;  ///< processes along this axis; 'n': 1
  int64_t proc_grid_rank;  ///< this process's coordinate among them; 'n': 0
  int64_t start;           ///< 'b', 'c': global index
  int64_t stop;            ///< 'b': global index, one after the last
  int64_t block_size;      ///< 'c': elements; 1 if the dictionary has none
  int64_t padding[2];      ///< if has_padding: elements at the lower and at the upper end
  dap_indices indices;     ///< 'u'
  const dap_extra* extras;
  int64_t extra_count;  ///< at most DAP_MAX_COUNT
  uint64_t reserved[4];
} dap_dimension;

/// One process's part of a distributed array. The members before `protocol_version` are the same in every version of
/// this layout and never change.
typedef struct dap_array {
  uint32_t major, minor;                    ///< DAP_MAJOR, and the lowest minor that has everything that is used
  void* manager_ctx;                        ///< for the producer's own use
  void (*deleter)(struct dap_array* self);  ///< releases everything; NULL: there is nothing to release
  uint64_t flags;                           ///< DAP_FLAG_...

  dap_text protocol_version;      ///< `__version__`, such as "0.10.0"; at most DAP_MAX_NAME bytes
  dap_buffer buffer;              ///< `buffer`
  const dap_dimension* dim_data;  ///< `dim_data`, one for each axis
  int64_t dim_count;              ///< `buffer.ndim` in a valid array; at most DAP_MAX_COUNT
  uint64_t reserved[8];
} dap_array;

/// Releases an array of any version. Does nothing for NULL.
static inline void dap_array_release(dap_array* array) {
  if (array != NULL && array->deleter != NULL) array->deleter(array);
}

/// Describes text that ends with a NUL, without the NUL. The text must outlive the result.
static inline dap_text dap_text_of(const char* text) {
  dap_text result;
  result.data = text;
  result.size = 0;
  while (text[result.size] != '\0') ++result.size;
  return result;
}

// The following functions are in the library TriDAP::protocol. Making and taking arrays does not need them.

/// Checks that tridap::from_c accepts an array, and every rule of the protocol that needs no other process. The caller
/// owns the array before and after the call, whatever it returns. Writes every violation into `message`, one on each
/// line; if it returns DAP_OK, the warnings. Reads the indices of unstructured dimensions, but no element of the
/// buffer.
int dap_array_check(const dap_array* array, char* message, size_t message_size);

/// The version of the library with which the program runs, such as "0.2.0". Any thread may call it.
const char* dap_library_version(void);

/// How this library was built, for people: lines such as "compiler: GNU 12.2.0, -O3". Any thread may call it.
const char* dap_library_build(void);

/// Receives what TriDAP prints on its own account, without the last end of line: a warning that no call can return, the
/// reason why it ends the job, or a report of tridap_watch(). Any thread may call it, also while memory has run out. It
/// must not call TriDAP.
typedef void (*dap_message_sink)(const char* line);
/// Sets who receives such lines in this process, and returns who did before. At first it is dap_print_message(), unless
/// the environment variable TRIDAP_MESSAGES is "off"; NULL: nobody, nothing is printed. Any thread may call it.
dap_message_sink dap_set_message_sink(dap_message_sink sink);
/// Prints a line on standard error.
void dap_print_message(const char* line);

#ifdef __cplusplus
}
#endif

#endif
