/// TriDAP in C: distributed arrays in the memory of the program, and what other programs of this package do with them.
/// The header is C99 and C++.
///
/// **Status.** Every function returns a `tridap_status`: TRIDAP_OK, or the kind of failure; tridap_message() is then
/// its text. A failed function gives no results, and loses nothing; only a failed solve or product may have written to
/// its result. If a function fails that makes a handle, and the communicator is known, it gives a handle all the same.
/// This handle stands for the failure: each later call that gets it fails with the same text. So the next collective
/// call fails on all processes, though only one has failed before.
///
/// **Collective.** A function that is *collective* must be called by all processes of a communicator, in the same
/// order. It fails on every process or on none, with the same text: one wrong process is one error on all. All other
/// functions are local. Where a process gives a number that never was a handle, the call belongs to the communicator of
/// the handle that this process has made last.
///
/// **Handles** are plain numbers in structs of their own types. Copying one copies the number. tridap_release() is
/// local, may be called from any thread, and never communicates; objects that others use live on until these are
/// released. A handle that was released is an error from then on. What a program does not release is released when MPI
/// ends.
///
/// **Initialisation.** There is none. The program calls MPI_Init or MPI_Init_thread before the first collective call,
/// and MPI_Finalize itself. If several threads call collective functions, MPI needs MPI_THREAD_MULTIPLE. The solvers
/// initialise Kokkos if the program has not done it, and finalise it at MPI_Finalize in this case only.
///
/// **Numbers.** Everything counts from 0. Ranges are half-open. Extents and indices count elements, and strides bytes.
/// New memory is row-major unless an option says otherwise. A list has one entry for each axis. NULL for an `options`
/// argument, and zero for each of its members, are the defaults. Texts end with a NUL and are copied.
///
/// Example, a field in blocks over a grid of processes, with one layer of halo around each part:
///
///     tridap_distribution layout;
///     tridap_array u;
///     int64_t shape[2] = {1000, 800}, extents[2];
///     tridap_distribute_options halo = {0};
///     halo.padding = 1;
///     tridap_distribute(2, shape, "b,b", MPI_COMM_WORLD, &halo, &layout);
///     tridap_local_shape(layout, TRIDAP_HERE, extents);
///     double* field = calloc(extents[0] * extents[1], sizeof *field);
///     tridap_memory memory = {0};
///     memory.data = field;
///     memory.type = TRIDAP_FLOAT64;
///     tridap_array_of(layout, &memory, &u);
///     tridap_update_padding(u);

#ifndef TRIDAP_TRIDAP_H
#define TRIDAP_TRIDAP_H

#include <tridap/dap.h>

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TRIDAP_ANY_INT : int  // so that a number that is none of an enumeration may be refused
extern "C" {
#else
#define TRIDAP_ANY_INT
#endif

/// What a function returns.
typedef enum tridap_status TRIDAP_ANY_INT {
  TRIDAP_OK = 0,
  TRIDAP_WRONG = 1,      ///< an argument, an array or what the processes ask for is wrong
  TRIDAP_NO_MEMORY = 2,  ///< memory for elements has run out on a process
  TRIDAP_FAILED = 3      ///< anything else, such as a function of the program that fails
} tridap_status;

/// The text of the last failure of this thread, which ends with a NUL; empty if there was none. It is valid until the
/// next failure of this thread.
const char* tridap_message(void);
/// The version of the library, as dap_library_version(): "0.2.0".
const char* tridap_version(void);

// ---- Handles ---------------------------------------------------------------------------------------------------

typedef struct tridap_distribution {
  uint64_t number;
} tridap_distribution;  ///< how an array is distributed
typedef struct tridap_array {
  uint64_t number;
} tridap_array;  ///< this process's part of an array
typedef struct tridap_plan {
  uint64_t number;
} tridap_plan;  ///< a move that can be repeated
typedef struct tridap_padding {
  uint64_t number;
} tridap_padding;  ///< an update of padding, to be repeated
typedef struct tridap_ghosts {
  uint64_t number;
} tridap_ghosts;  ///< copies of elements of other processes
typedef struct tridap_matrix {
  uint64_t number;
} tridap_matrix;  ///< a sparse matrix or a linear operator
typedef struct tridap_preconditioner {
  uint64_t number;
} tridap_preconditioner;

/// Releases the handle with this number: `tridap_release(u.number)`. Nothing happens for 0. Fails if it is no handle,
/// or was released before.
int tridap_release(uint64_t number);
/// How many handles this process has not released.
int64_t tridap_held(void);

/// What a call did on this process.
typedef struct tridap_receipt {
  int32_t shared;              ///< 1: the result has the memory of the argument
  int32_t same_address;        ///< 1: and begins at the same address
  int64_t bytes_copied;        ///< bytes of elements that were copied
  int64_t bytes_synchronized;  ///< bytes that a library copied between a device and the host
  double seconds;
  char text[960];  ///< one line, with what the result cannot represent
} tridap_receipt;

// ---- Distributions ---------------------------------------------------------------------------------------------

#define TRIDAP_HERE (-1)          ///< for an argument `process`: this process
#define TRIDAP_ZERO (-INT32_MAX)  ///< in options: the number 0, where 0 means the default

/// A part of this process's memory.
typedef enum tridap_part TRIDAP_ANY_INT {
  TRIDAP_OWNED = 0,    ///< without communication padding
  TRIDAP_LOCAL = 1,    ///< all of it
  TRIDAP_INTERIOR = 2  ///< owned, without the mirrors of a periodic axis: the elements for loops, norms and solvers
} tridap_part;

typedef enum tridap_order TRIDAP_ANY_INT { TRIDAP_ROW_MAJOR = 0, TRIDAP_COLUMN_MAJOR = 1 } tridap_order;

typedef struct tridap_distribute_options {
  const int64_t* grid;      ///< processes along each axis; NULL: as near to a square as possible
  int64_t padding;          ///< width of the padding of all block axes, on both sides and at the outer edges
  const int64_t* paddings;  ///< instead: the width of each axis
  const int32_t* periodic;  ///< 1 for each axis that is periodic: its outer padding has the elements of the other end
  int32_t inner_only;       ///< 1: no padding at the outer edges of axes that are not periodic
} tridap_distribute_options;

/// Distributes `ndim` axes of `shape` elements over the processes of `comm`. `dist` has a text for each axis:
///
/// | text | axis |
/// |---|---|
/// | `b` | blocks of ceil(size / processes) |
/// | `b:0,3,5` | blocks that begin at 0, 3 and 5 |
/// | `c`, `c:2`, `c:2@1` | cyclic; in blocks of 2; and beginning with coordinate 1 |
/// | `u:FILE` | lists of indices, in a JSON file: `[[0, 2], [3, 1]]` |
/// | `*` | not distributed |
///
/// `shape` includes padding at the outer edges. Local: pass the same on every process.
int tridap_distribute(int ndim, const int64_t* shape, const char* dist, MPI_Comm comm,
                      const tridap_distribute_options* options, tridap_distribution* distribution);
/// The distribution that the dim_data of all processes describe together, as tridap/dap.h has them. Rank r of `comm` is
/// process r. **Collective.**
int tridap_distribution_of_dim_data(int ndim, const dap_dimension* dim_data, MPI_Comm comm,
                                    tridap_distribution* distribution);
/// The same of texts: the JSON that tridap_dim_data_text() writes, "[{"dist_type": "b", "size": 12, ...}, ...]".
/// **Collective.**
int tridap_distribution_of_dim_data_text(const char* dim_data, MPI_Comm comm, tridap_distribution* distribution);
/// The distribution of one axis of which each process lists its global indices. `size` is the sum of the lengths.
/// **Collective.**
int tridap_distribution_of_lists(int64_t count, const int64_t* indices, MPI_Comm comm,
                                 tridap_distribution* distribution);
/// The distribution of a ScaLAPACK matrix with this descriptor over a grid of nprow x npcol processes, in the order in
/// which BLACS_GRIDINIT numbers them by `R` (row-major) or `C`. The context in `desc` is not read. Local.
int tridap_distribution_of_desc(const int desc[9], int nprow, int npcol, tridap_order grid_order, MPI_Comm comm,
                                tridap_distribution* distribution);
/// Blocks over the grid of a communicator of MPI_Cart_create, with padding of `width` elements; axes that are periodic
/// there are periodic. Local.
int tridap_distribution_of_cart(int ndim, const int64_t* shape, int64_t width, MPI_Comm cart,
                                tridap_distribution* distribution);
/// A distribution as a program in HPF writes it: "(BLOCK, CYCLIC(2), *)", with "BLOCK(n)" and "GEN_BLOCK(3,4,1)".
/// `grid` has the processors along each axis; NULL: as near to a square as possible. Local.
int tridap_distribution_of_hpf(int ndim, const int64_t* shape, const char* distribute, const int64_t* grid,
                               MPI_Comm comm, tridap_distribution* distribution);
/// One of Chapel, over a domain from 0: "blockDist", "cyclicDist" or "stencilDist" (with `fluff`), of all axes. Local.
int tridap_distribution_of_chapel(int ndim, const int64_t* shape, const char* dist, int64_t fluff, MPI_Comm comm,
                                  tridap_distribution* distribution);

/// A distribution in which each axis has the elements of its interior alone, numbered from 0. Local.
int tridap_interior_of(tridap_distribution of, tridap_distribution* interior);

/// The text of tridap_distribute() for a distribution, "b,c:2". Writes at most `size` bytes with a NUL. `length`, if it
/// is not NULL, becomes the bytes of the whole text without the NUL. Fails for lists. Local.
int tridap_dist_text(tridap_distribution distribution, char* text, size_t size, size_t* length);
/// A line for people: "block x cyclic over 2 x 3 processes". As tridap_dist_text().
int tridap_describe(tridap_distribution distribution, char* text, size_t size, size_t* length);
/// This process's dim_data as JSON. As tridap_dist_text().
int tridap_dim_data_text(tridap_distribution distribution, int64_t process, char* text, size_t size, size_t* length);

// Questions. All are local, and any process may ask about any other. `process` is its rank in the communicator of the
// distribution, or TRIDAP_HERE.

int tridap_ndim(tridap_distribution distribution, int* ndim);
int tridap_shape(tridap_distribution distribution, int64_t* shape);
int tridap_grid(tridap_distribution distribution, int64_t* grid);
int tridap_processes(tridap_distribution distribution, int64_t* processes);
int tridap_coordinates(tridap_distribution distribution, int64_t process, int64_t* coordinates);
int tridap_local_shape(tridap_distribution distribution, int64_t process, int64_t* extents);
/// The elements in a part.
int tridap_count(tridap_distribution distribution, int64_t process, tridap_part part, int64_t* count);
/// The local indices of a part, from `begin` up to `end`.
int tridap_bounds(tridap_distribution distribution, int64_t process, tridap_part part, int64_t* begin, int64_t* end);
/// The lowest process that owns the element with these global indices; -1: none does.
int tridap_owner(tridap_distribution distribution, const int64_t* global, int64_t* process);
/// The local indices of an element; `held` becomes 0 if it is not in this part of the process, and `local` is of no
/// use.
int tridap_local_index(tridap_distribution distribution, int64_t process, const int64_t* global, tridap_part part,
                       int64_t* local, int* held);
int tridap_global_index(tridap_distribution distribution, int64_t process, const int64_t* local, int64_t* global);
/// `equal` becomes 1 if every element has the same owners and the same local indices in both.
int tridap_equal(tridap_distribution a, tridap_distribution b, int* equal);

// ---- Arrays ----------------------------------------------------------------------------------------------------

/// Element types.
typedef enum tridap_type TRIDAP_ANY_INT {
  TRIDAP_BOOL = 1,
  TRIDAP_INT8,
  TRIDAP_INT16,
  TRIDAP_INT32,
  TRIDAP_INT64,
  TRIDAP_UINT8,
  TRIDAP_UINT16,
  TRIDAP_UINT32,
  TRIDAP_UINT64,
  TRIDAP_FLOAT16,
  TRIDAP_BFLOAT16,
  TRIDAP_FLOAT32,
  TRIDAP_FLOAT64,
  TRIDAP_COMPLEX64,
  TRIDAP_COMPLEX128,
  TRIDAP_OTHER = 100  ///< of an array that came as a dap_array
} tridap_type;

/// Memory of the program. It must live as long as an array that has it, and what was made of that array.
typedef struct tridap_memory {
  void* data;  ///< the element with the local indices 0, 0, ...
  tridap_type type;
  int ndim;                ///< of `extents` and `strides`
  const int64_t* extents;  ///< NULL: those of the distribution
  const int64_t* strides;  ///< bytes; NULL: contiguous, in `order`
  tridap_order order;
  int32_t read_only;             ///< 1: it must not be written
  dap_device device;             ///< all zero: memory of the host. `stream`: on which it was last written
  void (*release)(void* owner);  ///< is called once when no array has the memory any more, from any thread; may be
                                 ///< NULL. If the call fails, it is called as well
  void* owner;
} tridap_memory;

/// An array in memory of the program, which is shared. `memory->extents` must be those of this process's part, padding
/// included. Local.
int tridap_array_of(tridap_distribution distribution, const tridap_memory* memory, tridap_array* array);
/// An array in new memory of the host, all zero. Local.
int tridap_allocate(tridap_distribution distribution, tridap_type type, tridap_order order, tridap_array* array);
/// An array that another library has handed over, which is checked. The call owns `array`, also if it fails.
/// **Collective.**
int tridap_array_from_dap(dap_array* array, MPI_Comm comm, tridap_array* result);
/// Hands an array over. The caller owns the result: dap_array_release(). Local.
int tridap_array_to_dap(tridap_array array, dap_array** result);
/// Checks the rules of the protocol on what all processes hand over, which the caller keeps. `errors` becomes the
/// number of violations, and the text has a line for each, and for each warning. **Collective.**
int tridap_check(const dap_array* array, MPI_Comm comm, int64_t* errors, char* text, size_t size, size_t* length);

/// Where the elements of an array are on this process. The lists of extents and strides are valid until the array is
/// released. Local.
int tridap_array_memory(tridap_array array, tridap_memory* memory);
/// The distribution of an array, as a handle to be released. Local.
int tridap_distribution_of(tridap_array array, tridap_distribution* distribution);
/// The local indices of this process's own elements, TRIDAP_INTERIOR, from `begin` up to `end`. Local.
int tridap_interior(tridap_array array, int64_t* begin, int64_t* end);

// ---- Moves -----------------------------------------------------------------------------------------------------

typedef struct tridap_move_options {
  tridap_order order;    ///< of new memory
  int32_t convert;       ///< 1: the element types may differ
  int32_t fill_padding;  ///< 1: also the communication padding of the target
  int32_t partial;       ///< 1: elements that only one side has are left out; else they are an error
  const int64_t* axes;   ///< axis i of the target is axis axes[i] of the source; NULL: axis i
  tridap_type type;      ///< of the targets of tridap_plan_new() if `convert`; 0: as the source
} tridap_move_options;

/// target = alpha * source + beta * target. If beta is 0, the target is not read.
typedef struct tridap_scaling {
  double alpha[2], beta[2];  ///< real and imaginary parts
} tridap_scaling;

/// Moves an array to another distribution, into new memory. **Collective.**
int tridap_redistribute(tridap_array source, tridap_distribution to, const tridap_move_options* options,
                        tridap_array* target);
/// The same into an array that exists, which must not share memory with `source`. `scaling` may be NULL.
/// **Collective.**
int tridap_redistribute_into(tridap_array source, tridap_array target, const tridap_move_options* options,
                             const tridap_scaling* scaling);

/// Plans a move that can be repeated. `type` is that of the source's elements. **Collective.**
int tridap_plan_make(tridap_distribution from, tridap_distribution to, tridap_type type,
                     const tridap_move_options* options, tridap_plan* plan);
/// Moves. `scaling` may be NULL. **Collective.**
int tridap_plan_move(tridap_plan plan, tridap_array source, tridap_array target, const tridap_scaling* scaling);
/// Moves into new memory, which the processes of a node share: the fastest way. **Collective.**
int tridap_plan_new(tridap_plan plan, tridap_array source, tridap_array* target);
/// Moves `count` arrays with one round of messages. **Collective.**
int tridap_plan_move_all(tridap_plan plan, int count, const tridap_array* sources, const tridap_array* targets,
                         const tridap_scaling* scaling);
/// Begins a move. Until tridap_plan_wait(), the source may be read, and the target must not be used. Every process then
/// waits for it, or every process releases the plan. **Collective.**
int tridap_plan_start(tridap_plan plan, tridap_array source, tridap_array target, const tridap_scaling* scaling);
/// Continues a move that was started; `done` becomes 1 if tridap_plan_wait() would return at once. Local.
int tridap_plan_test(tridap_plan plan, int* done);
/// Ends the move. **Collective.**
int tridap_plan_wait(tridap_plan plan);
/// The plan from the target back to the source. **Collective.**
int tridap_plan_reversed(tridap_plan plan, tridap_plan* back);
/// Bytes of one move that this process sends to others, receives from them, and keeps. Local.
int tridap_plan_bytes(tridap_plan plan, int64_t* sent, int64_t* received, int64_t* kept);
/// A text for people: what each process sends to which. As tridap_dist_text(). Local.
int tridap_plan_explain(tridap_plan plan, char* text, size_t size, size_t* length);

// ---- Padding and ghosts ------------------------------------------------------------------------------------------

/// Fills the padding of an array from the owners of the elements, also at the ends of periodic axes. The plan is kept
/// with the array: later calls make one reduction. **Collective.**
int tridap_update_padding(tridap_array array);
/// The same for several arrays of one communicator, of any types and distributions, in one exchange: one message to
/// each process. The plan, and with it the memory of all, is kept with the first one. **Collective.**
int tridap_update_paddings(int count, const tridap_array* arrays);
/// Adds the values of padding to the elements of which it is a copy; padding keeps its values. **Collective.**
int tridap_sum_padding(tridap_array array);
int tridap_sum_paddings(int count, const tridap_array* arrays);

/// Plans updates of the padding of several arrays. `sum`: 1 adds as tridap_sum_padding(). **Collective.**
int tridap_padding_make(int count, const tridap_array* arrays, int sum, tridap_padding* padding);
/// Begins an update. Until tridap_padding_wait(), the padding must not be used and the other elements may be read; for
/// sums, no element may be used. Makes no reduction: a process that gives no valid handle ends the job with a line.
/// **Collective.**
int tridap_padding_start(tridap_padding padding);
int tridap_padding_wait(tridap_padding padding);  ///< **Collective.**

/// Elements of one process with ghosts behind them. Along axis 0 of `memory` are first the owned elements of
/// `distribution` and then the ghosts. If the distribution has more axes than `memory`, its first axes are numbered
/// together in `memory->order`, and the owned elements are in this order. `ids` are the numbers of the ghosts'
/// elements.
/// **Collective.**
int tridap_ghosts_make(tridap_distribution distribution, const tridap_memory* memory, int64_t count, const int64_t* ids,
                       tridap_ghosts* ghosts);
// With a handle that is none, or was released, these end the job with a line: they make no reduction.

int tridap_update_ghosts(tridap_ghosts ghosts);          ///< each ghost gets the value of its element. **Collective.**
int tridap_sum_ghosts(tridap_ghosts ghosts);             ///< each ghost is added to its element. **Collective.**
int tridap_ghosts_start(tridap_ghosts ghosts, int sum);  ///< begins one of both. **Collective.**
int tridap_ghosts_wait(tridap_ghosts ghosts);            ///< **Collective.**

// ---- Gather, scatter, reductions -----------------------------------------------------------------------------------

/// Copies the whole array to new memory on process `root`. On the others `whole` becomes no handle, with number 0.
/// **Collective.**
int tridap_gather(tridap_array array, int root, tridap_array* whole);
/// The same into memory of the program on `root`, with the extents of the whole array; NULL on other processes.
/// **Collective.**
int tridap_gather_into(tridap_array array, int root, const tridap_memory* whole);
/// Copies the whole array to each process. **Collective.**
int tridap_allgather(tridap_array array, tridap_array* whole);
/// Distributes the whole array in the memory `whole` of process `root`, NULL on others, to `array`. **Collective.**
int tridap_scatter(const tridap_memory* whole, int root, tridap_array array);

// Reductions are over all elements of the whole array without communication padding. `result` has the array's type; of
// sums of integers shorter than 8 bytes as well. All processes get the same bits. **Collective.**

int tridap_sum(tridap_array array, void* result);
int tridap_max(tridap_array array, void* result);  ///< the largest element, or a nan; not of complex numbers
int tridap_min(tridap_array array, void* result);
/// The sum of the products of the elements of two arrays of one distribution; of complex ones, the first are
/// conjugated.
int tridap_dot(tridap_array a, tridap_array b, void* result);
int tridap_norm(tridap_array array, double* result);  ///< the square root of the sum of squares

// ---- Watching --------------------------------------------------------------------------------------------------

/// Writes what every process states about its part to a file for the command `tridap`, without the elements.
/// **Collective.**
int tridap_write_capture(tridap_array array, const char* path);
/// Checks a capture: `errors` becomes the number of violations, and the text has a line for each, and for each warning.
/// Fails if the file cannot be read. As tridap_dist_text(). Local.
int tridap_check_capture(const char* path, int64_t* errors, char* text, size_t size, size_t* length);
/// If a process waits in one call for so many seconds, one line for each process of its node is printed to standard
/// error; 0 ends it. **Collective.**
int tridap_watch(double seconds, MPI_Comm comm);

// ---- Components ------------------------------------------------------------------------------------------------

// All above is in the component TriDAP::c, which needs MPI alone. Each section below names the component that has its
// functions. Without it the program does not link: "undefined reference to `tridap_solve'".

/// A library cannot use all memory as it is: the elements of a field with padding on two axes are not contiguous, for
/// example. This says whether a call may copy them then.
typedef enum tridap_copy TRIDAP_ANY_INT {
  TRIDAP_COPY_NEVER = 0,      ///< no: it fails, and says why
  TRIDAP_COPY_IF_NEEDED = 1,  ///< yes; what the library writes is copied back
  TRIDAP_COPY_ALWAYS = 2
} tridap_copy;

// ---- Matrices and solvers: TriDAP::c_solvers -----------------------------------------------------------------------

/// This process's rows of a square matrix over the elements of a distribution: one row for each element of its
/// interior. They are copied.
///
/// Example: the second difference of 5 elements, in blocks of 3 and 2. Process 1 has the rows 3 and 4: `row_count` 2,
/// `entry_count` 5, `values` {-1, 2, -1, -1, 2}, `columns` {2, 3, 4, 3, 4} and `row_starts` {0, 3, 5}.
typedef struct tridap_csr {
  int64_t row_count;        ///< of this process: the elements of its interior
  int64_t entry_count;      ///< of this process
  const double* values;     ///< of each entry; entries with the same row and column are added
  const void* columns;      ///< of each entry: the number of an element of the whole array
  const void* row_starts;   ///< one more than rows: where the entries of each row begin; the last one is the end of all
  int32_t column_bytes;     ///< of an integer in `columns`: 4 or 8; 0: 8
  int32_t row_start_bytes;  ///< of an integer in `row_starts`: 4 or 8; 0: 8
  int64_t index_base;       ///< 0 or 1: the number of the first element, and of the first entry in `row_starts`
  tridap_order order;  ///< in which elements have numbers in the whole array, and rows an order on this process. Arrays
                       ///< in this memory order are shared with the solvers, if their memory is dense
} tridap_csr;

/// A function of the program: writes the product of an operator with `x` to all elements of `y`. Both have the elements
/// of this process's interior, contiguous in the order of the operator, and are valid during the call only. All
/// processes call it together, so that it may call collective functions. It returns 0; any other number is an error on
/// all processes. If it communicates, it must return such a number on all of them.
typedef int (*tridap_apply)(void* user, const double* x, double* y);

/// Makes a matrix of the rows of all processes. **Collective.**
int tridap_matrix_of_csr(tridap_distribution rows, const tridap_csr* csr, tridap_matrix* matrix);
/// Copies new values to a matrix, which has entries in the same places. What was made of the old values for a solve is
/// made again by the next one. `receipt` may be NULL. **Collective.**
int tridap_matrix_update(tridap_matrix matrix, const tridap_csr* csr, tridap_receipt* receipt);
/// An operator of which only the product is known. `user` must be valid until the handle is released. **Collective.**
int tridap_operator_of(tridap_distribution rows, tridap_order order, tridap_apply apply, void* user,
                       tridap_matrix* matrix);
/// y = A x. Both arrays have the distribution of the rows, and any padding; or one axis more, which is not distributed,
/// for several vectors. `receipt` may be NULL. **Collective.**
int tridap_multiply(tridap_matrix a, tridap_array x, tridap_array y, tridap_copy copy, tridap_receipt* receipt);

typedef struct tridap_preconditioner_options {
  const char* parameters;    ///< of MueLu or Ifpack2, as tridap_solve_options has them
  int32_t unsymmetric;       ///< 1: not for "cg", which needs a symmetric one
  tridap_array coordinates;  ///< for "muelu": the points of the rows, along one axis more; no handle: unknown
  tridap_array nullspace;    ///< for "muelu": vectors that the matrix maps to almost 0; no handle: ones
} tridap_preconditioner_options;

/// Makes a preconditioner by name: "muelu" (algebraic multigrid), "ifpack2", "schwarz" or another name of Ifpack2. It
/// may be used for any matrix with the same rows. **Collective.**
int tridap_preconditioner_make(tridap_matrix a, const char* name, const tridap_preconditioner_options* options,
                               tridap_preconditioner* preconditioner);
/// One of a function of the program, which multiplies by an approximate inverse. **Collective.**
int tridap_preconditioner_of(tridap_distribution rows, tridap_order order, tridap_apply apply, void* user,
                             tridap_preconditioner* preconditioner);

/// The same on every process, but for `watch`, `user` and what is written.
///
/// `parameters` are lines "name=value", separated by line ends or ";", or the text of a parameter list of Teuchos in
/// XML. A value is true, false, an integer, a number with a point or an exponent, or a text; "a/b=1" is `b` in the
/// sublist `a`. A parameter that the library does not have is refused, with the nearest name.
typedef struct tridap_solve_options {
  const char* method;          ///< "cg", "gmres", "direct", or a name of Belos, such as "bicgstab"; NULL: "cg"
  const char* preconditioner;  ///< as tridap_preconditioner_make() has it; kept with the matrix. NULL: none
  tridap_preconditioner made;  ///< instead: one that was made
  /// The solve ends when |b - A x| is at most tol |b|, or atol. 0: 1e-8, or none if there is an `atol`; TRIDAP_ZERO: 0.
  double tol;
  double atol;                            ///< see `tol`
  int32_t maxiter;                        ///< the largest number of iterations; 0: 1000; TRIDAP_ZERO: 0
  tridap_copy copy;                       ///< of the elements of b and x
  const char* parameters;                 ///< of the method, such as "Num Blocks=50"
  const char* preconditioner_parameters;  ///< of `preconditioner`
  /// Is called with each residual |b - A x| / |b|, that of the first guess included; returns 1 to end the iteration.
  /// It may be NULL on some processes. For most methods of Belos it is called before products with A.
  int (*watch)(void* user, int iteration, double residual);
  void* user;             ///< for `watch`
  double* residuals;      ///< memory for the residuals that `watch` gets, and that of the solution; may be NULL
  int64_t residual_size;  ///< of `residuals`
  double* each;           ///< memory for the residual of each right-hand side; may be NULL
  int64_t each_size;      ///< of `each`
} tridap_solve_options;

typedef struct tridap_solution {
  int32_t converged;       ///< 1: each right-hand side's residual is small enough
  int32_t stopped;         ///< 1: by a watch
  int32_t iterations;      ///< the largest number for any right-hand side
  double residual;         ///< |b - A x| / |b|, computed from x; the largest of the right-hand sides
  int64_t residual_count;  ///< how many there are, also if the memory is too small for them
  double seconds;          ///< of this process, without the time to make a preconditioner
  tridap_receipt receipt;  ///< what was copied of b and x, and back to x
} tridap_solution;

/// Solves A x = b in the memory of `x`, whose values are the first guess. The arrays are as those of
/// tridap_multiply(); several right-hand sides are along one axis more. That it has not converged is no failure: see
/// `solution`, which may be NULL. **Collective.**
int tridap_solve(tridap_matrix a, tridap_array b, tridap_array x, const tridap_solve_options* options,
                 tridap_solution* solution);

/// `on` 1: from now on, the calls of this thread that move, solve or wait are regions of Kokkos' tools and timers of
/// Teuchos, named as in C++: "tridap::solvers::solve". 0 ends it. Local.
int tridap_trace(int on);

/// The same on every process.
typedef struct tridap_eigen_options {
  const char* method;   ///< "lobpcg" or "krylov schur"; NULL: "lobpcg"
  const char* which;    ///< "SA" and "LA", the smallest and the largest; "SM" and "LM", by magnitude; NULL: "SA"
  const double* sigma;  ///< for "krylov schur": those near to this number; NULL: none
  double tol;           ///< of |A x - w M x| / (|w| |x|); 0: 1e-8; TRIDAP_ZERO: 0
  int32_t maxiter;      ///< 0: 1000; TRIDAP_ZERO: 0
  tridap_preconditioner preconditioner;  ///< for "lobpcg"; no handle: none
  tridap_copy copy;                      ///< of the elements of x
  int64_t room;                          ///< of `values` and `residuals`, numbers; 0: there is enough
} tridap_eigen_options;

typedef struct tridap_eigen_solution {
  int32_t converged;   ///< 1: a value was found for each vector of x
  int32_t iterations;  ///< of all attempts
  int64_t count;       ///< of values that were found
  double seconds;
  tridap_receipt receipt;  ///< what was copied of x, and back
} tridap_eigen_solution;

/// Finds as many eigenvalues w and eigenvectors of A x = w M x as `x` has vectors, along one axis more than the rows. A
/// is symmetric; M is symmetric and positive definite, or no handle for the identity. Vectors of `x` that are not 0 are
/// the first guess. `values` and `residuals` have memory for one number for each vector, `residuals` may be NULL; the
/// numbers become ascending. **Collective.**
int tridap_eigenvalues(tridap_matrix a, tridap_matrix m, tridap_array x, const tridap_eigen_options* options,
                       double* values, double* residuals, tridap_eigen_solution* solution);

// ---- Files of HDF5: TriDAP::c_hdf5 ---------------------------------------------------------------------------------

// A dataset has the shape of the whole array, padding at the edges included, in C order, whatever the memory order of
// the array is. It also says how the array was distributed.

/// A named value of a file: a text; or numbers, of which `count` 0 means one without an axis.
typedef struct tridap_attribute {
  const char* name;
  const char* text;  ///< in UTF-8; NULL: `data` are numbers
  const void* data;
  tridap_type type;
  int64_t count;
} tridap_attribute;

/// What the numbers of a file mean in space: for the XDMF file beside it, "run.xdmf" for "run.h5", which ParaView and
/// VisIt open. The arrays have one to three axes, of which the last is x, then y, then z. All zero: points from 0,
/// by 1.
typedef struct tridap_xdmf_options {
  int64_t axes;           ///< how many numbers `origin` and `spacing` have: one for each axis of space
  const double* origin;   ///< where the first point is, in the order of the axes; NULL: 0
  const double* spacing;  ///< how far points are from one another; NULL: 1
  int64_t coordinate_count;
  const char* const* coordinates;  ///< the names of the saved arrays with x, y and z of all points, or of one with all
  int32_t cells;                   ///< 1: the values are of cells, of which an axis has one less than points
  int32_t vectors;                 ///< 1: the last axis has the two or three components of a vector, x first
  int32_t x_first;                 ///< 1: the first axis is x: 24 bytes more are saved for each point
} tridap_xdmf_options;

/// The same on every process; the attributes and the time of rank 0 are used.
typedef struct tridap_save_options {
  int32_t has_step;       ///< 1: the arrays are those of `step`, and are added to a file that exists
  int64_t step;           ///< from 0
  const int64_t* chunks;  ///< the extents of chunks, one for each axis of the arrays; NULL: none, or about 4 MiB
  int64_t chunk_count;    ///< of `chunks`; 0: there are as many as axes
  int32_t compression;    ///< level of gzip, 1 to 9; 0: not compressed
  int64_t attribute_count;
  const tridap_attribute* attributes;  ///< of the file
  int32_t has_time;                    ///< 1: `time` is that of the step, which the attribute `step_times` has
  double time;
  const tridap_xdmf_options* xdmf;  ///< rank 0 also writes an XDMF file beside the file; NULL: none
} tridap_save_options;

/// Saves `count` arrays of one communicator as datasets with these names, "u" or "fields/u", in a new file, which
/// replaces one of this name when it is complete; or as one step more, in the file. `receipt` may be NULL.
/// **Collective.**
int tridap_save(const char* path, int count, const char* const* names, const tridap_array* arrays,
                const tridap_save_options* options, tridap_receipt* receipt);

/// Writes the XDMF file for `count` datasets of a file that exists, or for all if `count` is 0. `options` may be NULL.
/// Local.
int tridap_xdmf(const char* path, int count, const char* const* names, const tridap_xdmf_options* options);

/// The same on every process.
typedef struct tridap_load_options {
  int32_t has_step;  ///< 1: the array of `step`; 0: of the last step, or without steps
  int64_t step;
  tridap_order order;  ///< of new memory
} tridap_load_options;

/// Loads an array into new memory, whose padding is filled. An empty name means the only dataset. `distribution` is of
/// `comm` and has the shape of the dataset; no handle: that with which the array was saved, or one of the same kind for
/// another number of processes, or blocks. Any file of HDF5 can be loaded. **Collective.**
int tridap_load(const char* path, const char* name, MPI_Comm comm, tridap_distribution distribution,
                const tridap_load_options* options, tridap_array* array);
/// The same into the memory of an array. `receipt` may be NULL. **Collective.**
int tridap_load_into(const char* path, const char* name, tridap_array array, const tridap_load_options* options,
                     tridap_receipt* receipt);

#define TRIDAP_MOST_AXES 32

/// What a file says about an array.
typedef struct tridap_stored {
  int ndim;
  int64_t shape[TRIDAP_MOST_AXES];  ///< without the axis of the steps
  int64_t steps;                    ///< how many; -1: it has none
  tridap_type type;                 ///< of elements in memory
} tridap_stored;

/// Finds an array in a file. `distribution`, if it is not NULL, becomes the one that tridap_load() uses without a
/// handle.
/// **Collective.**
int tridap_find(const char* path, const char* name, MPI_Comm comm, tridap_stored* stored,
                tridap_distribution* distribution);
/// The text of an attribute of an object in a file; of the file itself for "/". As tridap_dist_text(). Local.
int tridap_attribute_text(const char* path, const char* object, const char* name, char* text, size_t size,
                          size_t* length);
/// The numbers of an attribute, at most `size`, converted to double. `count` becomes how many there are. Local.
int tridap_attribute_numbers(const char* path, const char* object, const char* name, double* numbers, int64_t size,
                             int64_t* count);

// ---- Dense matrices: TriDAP::c_scalapack ---------------------------------------------------------------------------

// Arrays have two axes, of float, double or complex of these; right-hand sides may have one. ScaLAPACK computes in
// copies of arguments, which the receipt counts, unless they may be overwritten. It needs square blocks, "c:4,c:4" over
// any grid, and qr and matmul any blocks: other matrices are refused, or moved there and back with
// TRIDAP_COPY_IF_NEEDED. Answers are distributed as the arguments are; new ones are column-major. Eigenvalues and
// singular values are doubles for all types of elements. A receipt may be NULL.

typedef enum tridap_op TRIDAP_ANY_INT { TRIDAP_OP_NONE = 0, TRIDAP_OP_TRANSPOSE = 1, TRIDAP_OP_ADJOINT = 2 } tridap_op;

/// The same on every process.
typedef struct tridap_dense_options {
  tridap_copy copy;      ///< whether elements may be moved to another distribution
  int32_t overwrite_a;   ///< 1: the memory of `a` may be overwritten
  int32_t overwrite_b;   ///< 1: the answer is written to the memory of `b`
  int32_t upper;         ///< 1: the upper triangle is used, and a Cholesky factor is upper; 0: the lower one
  tridap_op op_a, op_b;  ///< for tridap_matmul(): what is multiplied
} tridap_dense_options;

/// Solves a x = b by LU. `b` has one axis, or two for several right-hand sides. **Collective.**
int tridap_dense_solve(tridap_array a, tridap_array b, const tridap_dense_options* options, tridap_array* x,
                       tridap_receipt* receipt);
/// The Cholesky factor of a symmetric or Hermitian positive definite matrix. **Collective.**
int tridap_cholesky(tridap_array a, const tridap_dense_options* options, tridap_array* factor, tridap_receipt* receipt);
/// All eigenvalues of a symmetric or Hermitian matrix, ascending, on every process; column j of `vectors` belongs to
/// `values[j]`. **Collective.**
int tridap_eigh(tridap_array a, const tridap_dense_options* options, double* values, tridap_array* vectors,
                tridap_receipt* receipt);
/// a = u diag(values) vh of an m x n matrix, with k = min(m, n) values, descending, on every process. **Collective.**
int tridap_svd(tridap_array a, const tridap_dense_options* options, tridap_array* u, double* values, tridap_array* vh,
               tridap_receipt* receipt);
/// a = q r: the columns of `q` are orthonormal, and `r` is 0 below its diagonal. **Collective.**
int tridap_qr(tridap_array a, const tridap_dense_options* options, tridap_array* q, tridap_array* r,
              tridap_receipt* receipt);
/// The product of two matrices, or of a matrix and a vector. **Collective.**
int tridap_matmul(tridap_array a, tridap_array b, const tridap_dense_options* options, tridap_array* c,
                  tridap_receipt* receipt);

/// An array over this process's part of a ScaLAPACK matrix, which has LLD_ elements from one column to the next. The
/// context of `desc` is that of a grid over all processes of `comm`, in the order of its rows: BLACS_GRIDINIT with 'R'.
/// **Collective.**
int tridap_array_of_desc(const int desc[9], void* local, tridap_type type, MPI_Comm comm, tridap_array* array);
/// An array in column-major memory as a ScaLAPACK matrix over the same memory, for the program's calls of ScaLAPACK on
/// its own `context`, of a grid like that of the array. `local` is this process's part, and valid as long as the array.
/// Other distributions are refused, with the nearest one. **Collective.**
int tridap_array_to_desc(tridap_array array, int context, int desc[9], void** local);

// ---- PETSc: TriDAP::c_petsc ----------------------------------------------------------------------------------------

// Objects of PETSc are their handles, `Vec`, `DM` and `Mat`, as void*. The program initialises PETSc. A
// `dm` is a DMDA, and NULL for a Vec that is not of one.

/// This process's part of a Vec in its own memory; of a DMDA with its axes (z, y, x), and padding for a local Vec. The
/// access of VecGetArray, or for `read_only` VecGetArrayRead, is open until the array is released. `comm` has the
/// processes of the Vec in their order. `shift`, if it is not NULL, has memory for 4 numbers: by axis, how much larger
/// global indices are than PETSc's. Local.
int tridap_array_of_vec(void* vec, void* dm, MPI_Comm comm, int read_only, tridap_array* array, int64_t* shift);
/// A Vec over the memory of an array, which is dense without padding, or fits the DMDA; with TRIDAP_COPY_IF_NEEDED
/// other memory is copied, if there is no DMDA. The program calls VecDestroy. `receipt` may be NULL. **Collective.**
int tridap_vec_of_array(tridap_array array, void* dm, tridap_copy copy, void** vec, tridap_receipt* receipt);
/// The distribution of a DMDA's global Vecs; for `ghosts` 1 that of its local ones. **Collective.**
int tridap_distribution_of_dmda(void* dm, int ghosts, MPI_Comm comm, tridap_distribution* distribution);

/// A ghosted Vec (VecCreateGhost, or VecCreateGhostBlock, whose blocks are components) in its own memory, for
/// tridap_update_ghosts() and the functions beside it. The access of VecGetArray is open until the handle is released.
/// **Collective.**
int tridap_ghosts_of_vec(void* vec, MPI_Comm comm, tridap_ghosts* ghosts);
/// A ghosted Vec over the memory of elements and ghosts, which is contiguous; its components are PETSc's block. The
/// program calls VecDestroy. `receipt` may be NULL. **Collective.**
int tridap_vec_of_ghosts(tridap_ghosts ghosts, void** vec, tridap_receipt* receipt);

/// The rows of a square Mat of type seqaij or mpiaij for tridap_matrix_of_csr() and tridap_matrix_update(). `rows`
/// becomes their distribution: one axis, in blocks. The entries are copied; the lists in `csr` are valid until `rows`
/// is released. Local.
int tridap_csr_of_mat(void* mat, MPI_Comm comm, tridap_distribution* rows, tridap_csr* csr);
/// A Mat of type seqaij or mpiaij with the rows that tridap_matrix_of_csr() takes, for the program's calls of PETSc. It
/// numbers elements process after process, on each in the order that `csr` says, as a Vec of tridap_vec_of_array() over
/// an array of this distribution in this memory order. Entries are copied, and those of one place added. The program
/// calls MatDestroy. `receipt` may be NULL. **Collective.**
int tridap_mat_of_csr(tridap_distribution rows, const tridap_csr* csr, void** mat, tridap_receipt* receipt);

/// The same on every process.
typedef struct tridap_dmda_options {
  int32_t has_width;      ///< 1: `stencil_width` is that of the DMDA; 0: that of the padding, or 1
  int64_t stencil_width;  ///< ghost points on each side
  int32_t star;           ///< 1: a star stencil; 0: a box
  int32_t dof;            ///< 1: the last axis has the degrees of freedom of each point
} tridap_dmda_options;

/// A DMDA with the ownership of a distribution in blocks. The program calls DMDestroy. **Collective.**
int tridap_dmda_of(tridap_distribution distribution, const tridap_dmda_options* options, void** dm);

// ---- Global Arrays: TriDAP::c_globalarrays -------------------------------------------------------------------------

// Arrays of Global Arrays (GA) are its integer handles. The component is a static library where GA is one.

/// Initialises GA, if the program has not done it, with an allocator for so many elements of double, the same number on
/// every process. **Collective** over MPI_COMM_WORLD.
int tridap_ga_begin(int64_t allocator_doubles);
/// Terminates GA if tridap_ga_begin() has initialised it. Fails if a process still holds an array of it.
/// **Collective** over MPI_COMM_WORLD.
int tridap_ga_end(void);

/// This process's part of a Global Array in its own memory. `ghosts` 1: ghost cells are padding. Rank r of `comm` has
/// place r of the array's grid, as tridap_ga_communicator() gives it; for blocks over all processes MPI_COMM_WORLD is
/// right, unless an error says otherwise. Local.
int tridap_array_of_ga(int handle, int ghosts, MPI_Comm comm, tridap_array* array);
/// The processes of a Global Array's grid in its order; MPI_COMM_NULL on others. The program frees it. **Collective**
/// over the processes of the Global Array.
int tridap_ga_communicator(int handle, MPI_Comm* comm);
/// A new Global Array with the ownership of a distribution, and an array of zeros in its memory, which owns it: the
/// program must not call GA_Destroy for `handle`. **Collective.**
int tridap_ga_create(tridap_distribution distribution, tridap_type type, int* handle, tridap_array* array);
/// The Global Array of an array, and an array in its memory, which owns it: that in whose memory `array` is, if
/// tridap_ga_create() has made it; else, if `copy` allows it, a new one with a copy. `receipt` may be NULL.
/// **Collective.**
int tridap_ga_of_array(tridap_array array, tridap_copy copy, int* handle, tridap_array* result,
                       tridap_receipt* receipt);

#undef TRIDAP_ANY_INT
#ifdef __cplusplus
}
#endif

#endif
