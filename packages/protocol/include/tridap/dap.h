/// The Distributed Array Protocol in C: one process's part of a distributed array as one object, handed over without
/// copying. This header is the specification. C99 and C++; it needs nothing but a compiler, neither to make an array
/// nor to take one.
///
/// Handing over. The producer allocates a `dap_array` and all that it points at, and gives a pointer to it. Whoever has
/// the pointer owns the array, and calls `deleter(self)` exactly once when it is done with the array and with all its
/// memory, also where it refuses the array; passing the pointer on passes the duty on. `deleter` may be called from any
/// thread; it is local, never communicates, never throws, and frees the `dap_array` too. The object is never moved or
/// duplicated by copying its bytes: only the address that was handed over is the array. Until `deleter` is called
/// nothing in the structs changes (elements may), but the owner may set streams and events to NULL when it has waited.
///
/// Versions. `major` and `minor` are those of this layout; the version of the protocol is `protocol_version`. Who meets
/// an unknown major reads nothing behind `flags`, calls `deleter`, and refuses the array. A minor version may give a
/// meaning to a flag or to reserved room, so that whoever does not know it may ignore it, and may add a device type or
/// a format, which whoever does not know it refuses. A producer states the lowest minor that has all it uses; what that
/// minor reserves is zero.
///
/// Numbers. Extents, counts and indices are `int64_t` and count elements; strides count bytes. A count states how much
/// is really there, and none is over the limits below, so that a consumer can check it before it follows a pointer; a
/// pointer whose count is 0 may be NULL. Structs and lists are aligned as C aligns them, elements and indices need not
/// be. A flag in a `uint8_t` is 0 or 1. Whatever a kind of dimension does not use is zero: start from a zeroed object,
/// and fill in what is there.
///
/// Collective. The object says nothing about communicators: the product of all `proc_grid_size` is the number of
/// processes, and a process's rank is the row-major ravel of its `proc_grid_rank`s. Every process hands over its own.
///
/// Calls. A function that hands over or takes an array returns an int, DAP_OK or what went wrong, and takes
/// `char* message, size_t message_size`, where it writes why: at most `message_size` bytes, always ended by a NUL;
/// (NULL, 0) is allowed. On failure it hands over nothing; what it was to take is released all the same.

#ifndef TRIDAP_DAP_H
#define TRIDAP_DAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DAP_MAJOR 1u  ///< of the layout in this header
#define DAP_MINOR 0u

#define DAP_FLAG_READ_ONLY 1u  ///< the elements must not be written
#define DAP_FLAG_COPIED 2u     ///< made by copying: whoever holds the original does not see what is written here

#define DAP_MAX_COUNT 1048576    ///< axes, dimensions, and extras of a dimension
#define DAP_MAX_NAME 1024        ///< bytes of a version, a format or a key
#define DAP_MAX_JSON 1073741824  ///< bytes of an extra's JSON text

/// What a call returns.
enum dap_status {
  DAP_OK = 0,
  DAP_UNKNOWN_MAJOR = 1,  ///< made for another major version of this header
  DAP_INVALID = 2,        ///< against this header or the protocol, or more than the callee can hold
  DAP_NO_MEMORY = 3,
  DAP_FAILED = 4  ///< anything else
};

/// Where memory lives: DLPack's numbers. Others of DLPack may stand here too.
enum dap_device_type {
  DAP_DEVICE_HOST = 1,  ///< `id` is 0
  DAP_DEVICE_CUDA = 2,
  DAP_DEVICE_CUDA_HOST = 3,  ///< host memory that is pinned
  DAP_DEVICE_ROCM = 10,
  DAP_DEVICE_ROCM_HOST = 11,  ///< host memory that is pinned
  DAP_DEVICE_CUDA_MANAGED = 13,
  DAP_DEVICE_ONEAPI = 14
};

/// UTF-8 text of `size` bytes; no NUL ends it, nobody reads behind it.
typedef struct dap_text {
  const char* data;
  int64_t size;
} dap_text;

/// Where memory lives, and from when on it may be used there. With an event, a consumer lets its work wait for it; with
/// a stream alone, for what the stream holds at the time of handing over; with neither, the memory may be used at once.
/// Stream and event live as long as the array.
typedef struct dap_device {
  int32_t type;  ///< a dap_device_type, or another of DLPack's numbers
  int32_t id;    ///< at least 0
  void* stream;  ///< cudaStream_t, hipStream_t, sycl::queue*, never CUDA's 0 but cudaStreamLegacy (1); NULL: none
  void* event;   ///< cudaEvent_t, hipEvent_t, sycl::event*; NULL: none
  uint64_t reserved[2];
} dap_device;

/// The elements in this process's memory. A 2 x 3 row-major array of double has shape {2, 3} and strides {24, 8}.
///
/// `format` is one element as PEP 3118 writes it: a byte order, then a type. `<` little-endian, `>` or `!` big-endian
/// and `=` this machine's order have the standard lengths; `@` or nothing is this machine's order with C's own lengths.
///
/// Elements that share memory may be read, never written. The bytes of all elements, and the bytes from the lowest to
/// the highest element, fit an int64_t.
///
/// | type | element | bytes: standard, `@` |
/// |---|---|---|
/// | `?` | boolean | 1, sizeof(_Bool) |
/// | `b` `B`, `h` `H`, `i` `I`, `q` `Q` | signed, unsigned integer | 1, 2, 4, 8; sizeof char, short, int, long long |
/// | `l` `L`, `n` `N` | signed, unsigned integer | 4, sizeof(long); `n` with `@` only: sizeof(size_t) |
/// | `e` `f` `d` | IEEE floating point | 2, 4, 8 |
/// | `g` | floating point | `@` only: sizeof(long double) |
/// | `Zf` `Zd` `Zg` | complex: real part, then imaginary part | twice the part's |
/// | `5x` `5s` | opaque bytes: 5 of them; a length is at least 1, and without one it is 1 | as stated |
typedef struct dap_buffer {
  void* data;              ///< address of element (0, ..., 0); NULL only where there are no elements
  int64_t ndim;            ///< at most DAP_MAX_COUNT
  const int64_t* shape;    ///< `ndim` local extents, elements, at least 0
  const int64_t* strides;  ///< `ndim` strides, bytes; negative ones, 0 and odd ones are legal
  dap_text format;         ///< of one element; at most DAP_MAX_NAME bytes
  dap_device device;
  uint64_t reserved[4];
} dap_buffer;

/// The global indices of an unstructured dimension, in integers of any width, byte order and stride. Never written.
typedef struct dap_indices {
  const void* data;  ///< address of the first; NULL only where there are none
  int64_t count;     ///< at least 0
  int64_t stride;    ///< bytes from one to the next
  dap_text format;   ///< as in dap_buffer
  dap_device device;
  uint64_t reserved[2];
} dap_indices;

/// A key that the protocol does not know, passed on as it came. Neither a key of the protocol, nor twice in one list.
typedef struct dap_extra {
  dap_text key;   ///< at most DAP_MAX_NAME bytes
  dap_text json;  ///< the value as JSON text, each key once and at most 64 levels deep; at most DAP_MAX_JSON bytes
  uint64_t reserved[2];
} dap_extra;

/// One dimension dictionary. The protocol says what its values mean and which are right; an empty dictionary is written
/// out: 'b', size and stop the buffer's extent, proc_grid_size 1.
typedef struct dap_dimension {
  char dist_type;       ///< 'b' block, 'c' cyclic, 'u' unstructured; under protocol 0.9 also 'n', not distributed
  uint8_t periodic;     ///< flag
  uint8_t has_padding;  ///< flag, 'b' and 'n': whether there is a key `padding`; without, not the same as (0, 0)
  uint8_t one_to_one;   ///< flag, 'u'
  uint8_t reserved_flags[4];
  int64_t size;            ///< global extent, elements
  int64_t proc_grid_size;  ///< processes along this axis; 'n': 1
  int64_t proc_grid_rank;  ///< our place among them; 'n': 0
  int64_t start;           ///< 'b', 'c': global index
  int64_t stop;            ///< 'b': global index, one behind the last
  int64_t block_size;      ///< 'c': elements; 1 where the dictionary has none
  int64_t padding[2];      ///< where has_padding: elements at the lower and at the upper end
  dap_indices indices;     ///< 'u'
  const dap_extra* extras;
  int64_t extra_count;  ///< at most DAP_MAX_COUNT
  uint64_t reserved[4];
} dap_dimension;

/// One process's part of a distributed array. What stands before `protocol_version` is so in every version, forever.
typedef struct dap_array {
  uint32_t major, minor;                    ///< DAP_MAJOR, and the lowest minor that has all that is used
  void* manager_ctx;                        ///< the producer's own
  void (*deleter)(struct dap_array* self);  ///< releases everything; NULL: there is nothing to release
  uint64_t flags;                           ///< DAP_FLAG_...

  dap_text protocol_version;      ///< `__version__`, such as "0.10.0"; at most DAP_MAX_NAME bytes
  dap_buffer buffer;              ///< `buffer`
  const dap_dimension* dim_data;  ///< `dim_data`, one for each axis
  int64_t dim_count;              ///< `buffer.ndim` where the array is right; at most DAP_MAX_COUNT
  uint64_t reserved[8];
} dap_array;

/// Ends the ownership of an array of any version; NULL is none.
static inline void dap_array_release(dap_array* array) {
  if (array != NULL && array->deleter != NULL) array->deleter(array);
}

/// Text that a NUL ends, without it; it must outlive the result.
static inline dap_text dap_text_of(const char* text) {
  dap_text result;
  result.data = text;
  result.size = 0;
  while (text[result.size] != '\0') ++result.size;
  return result;
}

// What follows is in the library tridap::protocol; making and taking arrays does not need it.

/// Checks that tridap::from_c takes an array, and every rule of the protocol that needs no other process. Takes no
/// ownership: the array is the caller's before and after, whatever is returned. Writes every violation into `message`,
/// one on each line; on DAP_OK warnings. Reads the indices of unstructured dimensions, and no element of the buffer.
int dap_array_check(const dap_array* array, char* message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
