/* What module tridap needs in C: it reads the descriptors by which memory of Fortran arrives, converts communicators,
 * and ends the job. Compile it with the C compiler that belongs to the Fortran compiler: descriptors differ between
 * compilers.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include <tridap/interface.h>

#include <ISO_Fortran_binding.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A list of the program: type(list) of module tridap_c. */
typedef struct list {
  const int64_t* data;
  int64_t count; /* -1: it is not there */
} list;

/* ---- The end of the job ---- */

static void wait_seconds(double seconds) {
  struct timespec left;
  left.tv_sec = (time_t)seconds;
  left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
  while (nanosleep(&left, &left) != 0) continue;
}

/* Where no process is known to say a failure, each waits for those below it, which may have failed, too. */
static double seconds_behind_others(int rank) {
  int length = 1;
  for (int lower = rank; lower > 0; lower /= 2) ++length;
  return rank == 0 ? 0 : 0.5 + 0.5 * length + 0.1 * (rank < 10 ? rank : 10);
}

static void say_failure(int rank, const char* text) {
  const size_t size = strlen(text) + 40;
  char* const line = malloc(size);
  if (line != NULL) snprintf(line, size, "tridap (rank %d): %s", rank, text);
  tridap_say_line(line != NULL ? line : text);
  free(line);
}

/* Whether lines that no call can return are printed. */
void tridap_fortran_print_messages(int printed) { dap_set_message_sink(printed != 0 ? dap_print_message : NULL); }

/* Prints the text of the last failure of this thread, and ends the job. If a collective call has failed, all processes
 * have the same text, and know which one prints it. The others wait for it to end the job; they wait in vain only if it
 * goes on, with `stat`. If a call has failed here alone, other processes may have failed in the same way, and the
 * lowest one prints first. */
void tridap_fortran_stop(void) {
  int initialized = 0, finalized = 0, rank = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized != 0 && finalized == 0) {
    const tridap_speaker speaker = tridap_who_says();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (speaker == TRIDAP_ANOTHER_SAYS) wait_seconds(10);
    if (speaker != TRIDAP_SAYS_FOR_ALL) wait_seconds(seconds_behind_others(rank));
  }
  say_failure(rank, tridap_message_in_fortran());
  fflush(NULL);
  if (initialized != 0 && finalized == 0) {
    wait_seconds(0.1); /* until mpiexec has passed it on */
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  exit(EXIT_FAILURE);
}

/* When MPI ends, all handles are released: a program may do it again. */
int tridap_fortran_release(uint64_t number) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized != 0 ? TRIDAP_OK : tridap_release(number);
}

/* ---- Memory ---- */

/* What is wrong with an argument. */
typedef struct fault {
  char value[200];
  const char *must, *remedy;
} fault;

static int faulty(fault* why, const char* value, const char* must, const char* remedy) {
  snprintf(why->value, sizeof why->value, "%s", value);
  why->must = must;
  why->remedy = remedy;
  return 0;
}

/* The compiler's own numbers of types may be equal, so this is no switch. 0: another type. */
static tridap_type type_of(const CFI_cdesc_t* a) {
  const CFI_type_t type = a->type;
  if (type == CFI_type_float && a->elem_len == 4) return TRIDAP_FLOAT32;
  if (type == CFI_type_double && a->elem_len == 8) return TRIDAP_FLOAT64;
  if (type == CFI_type_float_Complex && a->elem_len == 8) return TRIDAP_COMPLEX64;
  if (type == CFI_type_double_Complex && a->elem_len == 16) return TRIDAP_COMPLEX128;
  if (type == CFI_type_Bool && a->elem_len == 1) return TRIDAP_BOOL;
  if (type == CFI_type_int8_t) return TRIDAP_INT8;
  if (type == CFI_type_int16_t) return TRIDAP_INT16;
  if (type == CFI_type_int32_t) return TRIDAP_INT32;
  if (type == CFI_type_int64_t) return TRIDAP_INT64;
  return (tridap_type)0;
}

/* For the other parts of the module. */
tridap_type tridap_fortran_type(const CFI_cdesc_t* a) { return type_of(a); }

static const char* name_of(tridap_type type) {
  switch (type) {
    case TRIDAP_BOOL:
      return "logical(1)";
    case TRIDAP_INT8:
      return "integer(1)";
    case TRIDAP_INT16:
      return "integer(2)";
    case TRIDAP_INT32:
      return "integer(4)";
    case TRIDAP_INT64:
      return "integer(8)";
    case TRIDAP_FLOAT32:
      return "real(4)";
    case TRIDAP_FLOAT64:
      return "real(8)";
    case TRIDAP_COMPLEX64:
      return "complex(4)";
    case TRIDAP_COMPLEX128:
      return "complex(8)";
    case TRIDAP_UINT8:
      return "unsigned 8-bit integers";
    case TRIDAP_UINT16:
      return "unsigned 16-bit integers";
    case TRIDAP_UINT32:
      return "unsigned 32-bit integers";
    case TRIDAP_UINT64:
      return "unsigned 64-bit integers";
    case TRIDAP_FLOAT16:
      return "16-bit reals";
    case TRIDAP_BFLOAT16:
      return "bfloat16";
    case TRIDAP_OTHER:
      break;
  }
  return "elements of another type";
}

/* In gfortran the lowest 8 bits of a type are its kind of number. */
static const char* kind_of(const CFI_cdesc_t* a, char* text, size_t size) {
  const char* of = "elements of a derived type";
  const int type = a->type;
  if (type == CFI_type_char || type == CFI_type_ucs4_char) of = "characters";
#ifdef CFI_type_mask
  else if ((type & CFI_type_mask) == CFI_type_Logical)
    of = "logical";
  else if ((type & CFI_type_mask) == CFI_type_Real)
    of = "real";
  else if ((type & CFI_type_mask) == CFI_type_Complex)
    of = "complex";
  else if ((type & CFI_type_mask) == CFI_type_Integer)
    of = "integer";
#endif
  const size_t kind = strcmp(of, "complex") == 0 ? a->elem_len / 2 : a->elem_len;
  if (of[0] == 'e' || strcmp(of, "characters") == 0)
    snprintf(text, size, "%s", of);
  else
    snprintf(text, size, "%s(%zu)", of, kind);
  return text;
}

#define KINDS "integer(1), (2), (4) or (8), real(4) or (8), complex(4) or (8), or logical(1)"

/* `extents` and `strides` have room for CFI_MAX_RANK. An array that is not there becomes memory without an address. */
static int read_memory(const CFI_cdesc_t* a, tridap_memory* memory, int64_t* extents, int64_t* strides, fault* why) {
  char kind[60], text[120];
  memset(memory, 0, sizeof *memory);
  memory->type = type_of(a);
  if (memory->type == 0) {
    snprintf(text, sizeof text, "the memory has %s", kind_of(a, kind, sizeof kind));
    return faulty(why, text, "must have " KINDS, "use one of these kinds");
  }
  memory->data = a->base_addr;
  memory->ndim = a->rank;
  memory->extents = extents;
  memory->strides = strides;
  int64_t count = 1;
  for (int i = 0; i < a->rank; ++i) {
    extents[i] = a->base_addr == NULL ? 0 : a->dim[i].extent;
    strides[i] = a->dim[i].sm;
    if (a->dim[i].extent == -1 && a->base_addr != NULL)
      return faulty(why, "the memory is an array of assumed size", "must have an extent along each axis",
                    "pass a section with all extents, such as a(1:lda, 1:n)");
    count *= a->dim[i].extent;
  }
  if (a->base_addr == NULL && count > 0)
    return faulty(why, "the memory is not allocated", "must be", "allocate it, or associate the pointer, first");
  return 1;
}

/* device: 'cuda:0', 'cuda_host', 'cuda_managed:1', 'rocm:0', 'rocm_host', 'oneapi:0'; NULL: the host. */
static int read_device(const char* device, void* stream, dap_device* to, fault* why) {
  static const struct {
    const char* name;
    int32_t type;
  } known[] = {{"host", DAP_DEVICE_HOST},           {"cuda", DAP_DEVICE_CUDA},
               {"cuda_host", DAP_DEVICE_CUDA_HOST}, {"cuda_managed", DAP_DEVICE_CUDA_MANAGED},
               {"rocm", DAP_DEVICE_ROCM},           {"rocm_host", DAP_DEVICE_ROCM_HOST},
               {"oneapi", DAP_DEVICE_ONEAPI}};
  if (device == NULL) return 1;
  char text[120];
  const size_t length = strcspn(device, ":");
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    if (strlen(known[i].name) != length || strncmp(known[i].name, device, length) != 0) continue;
    char* end = NULL;
    const long id = device[length] == ':' ? strtol(device + length + 1, &end, 10) : 0;
    if (device[length] == ':' && (*end != '\0' || end == device + length + 1 || id < 0)) break;
    to->type = known[i].type;
    to->id = (int32_t)id;
    to->stream = stream;
    return 1;
  }
  snprintf(text, sizeof text, "device is '%.80s'", device);
  return faulty(why, text, "must be host, cuda, cuda_host, cuda_managed, rocm, rocm_host or oneapi, with a number",
                "pass for example device='cuda:0'");
}

static int refuse(const fault* why, tridap_handle_type type, uint64_t of, uint64_t* number) {
  return tridap_refuse(why->value, why->must, why->remedy, type, NULL, of, number);
}

int tridap_fortran_array_of(tridap_distribution layout, CFI_cdesc_t* a, int read_only, const char* device, void* stream,
                            tridap_array* array) {
  int64_t extents[CFI_MAX_RANK], strides[CFI_MAX_RANK];
  tridap_memory memory;
  fault why;
  if (!read_memory(a, &memory, extents, strides, &why) || !read_device(device, stream, &memory.device, &why))
    return refuse(&why, TRIDAP_ARRAY_HANDLE, layout.number, &array->number);
  if (memory.data == NULL) memory.extents = memory.strides = NULL; /* not allocated: right if there is no element */
  memory.read_only = read_only;
  return tridap_array_of(layout, &memory, array);
}

/* Gather and scatter: memory of the program for the whole array, which the root alone has. */
static int with_whole(const CFI_cdesc_t* a, int root, tridap_array array, int gathers) {
  int64_t extents[CFI_MAX_RANK], strides[CFI_MAX_RANK];
  tridap_memory memory;
  tridap_array given = array;
  fault why;
  const int there = read_memory(a, &memory, extents, strides, &why);
  const int wrong = !there && tridap_rank_of(array.number) == root;
  if (wrong) refuse(&why, TRIDAP_ARRAY_HANDLE, array.number, &given.number);
  const int status = gathers ? tridap_gather_into(given, root, there ? &memory : NULL)
                             : tridap_scatter(there ? &memory : NULL, root, given);
  if (wrong) tridap_release(given.number);
  return status;
}

int tridap_fortran_gather_into(tridap_array array, int root, CFI_cdesc_t* whole) {
  return with_whole(whole, root, array, 1);
}

int tridap_fortran_scatter(CFI_cdesc_t* whole, int root, tridap_array array) {
  return with_whole(whole, root, array, 0);
}

int tridap_fortran_ghosts(tridap_distribution layout, CFI_cdesc_t* a, list ids, tridap_ghosts* ghosts) {
  int64_t extents[CFI_MAX_RANK], strides[CFI_MAX_RANK];
  tridap_memory memory;
  tridap_distribution given = layout;
  fault why;
  const int wrong = !read_memory(a, &memory, extents, strides, &why);
  memory.order = TRIDAP_COLUMN_MAJOR; /* of the numbers */
  if (wrong) refuse(&why, TRIDAP_DISTRIBUTION_HANDLE, layout.number, &given.number);
  const int status = tridap_ghosts_make(given, &memory, ids.count, ids.data, ghosts);
  if (wrong) tridap_release(given.number);
  return status;
}

/* Whether `result` can take an element of the array. If the array is wrong itself, the collective call says so. */
static int takes(const CFI_cdesc_t* result, tridap_array array, fault* why) {
  tridap_memory memory;
  char kind[60], text[200];
  if (tridap_array_memory(array, &memory) != TRIDAP_OK) return 1;
  if (result->rank != 0) return faulty(why, "the result is an array", "must be a scalar", "pass a scalar variable");
  if (type_of(result) == memory.type) return 1;
  const tridap_type type = type_of(result);
  snprintf(text, sizeof text, "the result is %s", type != 0 ? name_of(type) : kind_of(result, kind, sizeof kind));
  static _Thread_local char must[100];
  snprintf(must, sizeof must, "must be %s, as the array", name_of(memory.type));
  return faulty(why, text, must, "declare it of the array's kind");
}

enum { sum_of = 0, max_of = 1, min_of = 2, dot_of = 3 };

int tridap_fortran_reduce(int which, tridap_array a, tridap_array b, CFI_cdesc_t* result) {
  tridap_array given = a;
  fault why;
  const int wrong = !takes(result, a, &why);
  if (wrong) refuse(&why, TRIDAP_ARRAY_HANDLE, a.number, &given.number);
  double unused[2];
  void* const to = wrong ? unused : result->base_addr;
  int status = TRIDAP_FAILED;
  if (which == sum_of) status = tridap_sum(given, to);
  if (which == max_of) status = tridap_max(given, to);
  if (which == min_of) status = tridap_min(given, to);
  if (which == dot_of) status = tridap_dot(given, b, to);
  if (wrong) tridap_release(given.number);
  return status;
}

/* Associates the pointer `p` with the memory of the array, with bounds from 1. */
int tridap_fortran_pointer(tridap_array array, CFI_cdesc_t* p) {
  static char nowhere[16];
  tridap_memory memory;
  char text[200];
  p->base_addr = NULL;
  const int status = tridap_array_memory(array, &memory);
  if (status != TRIDAP_OK) return status;
  if (p->rank != memory.ndim) {
    snprintf(text, sizeof text, "the pointer has rank %d", (int)p->rank);
    char must[60];
    snprintf(must, sizeof must, "must have rank %d, as the array", memory.ndim);
    return tridap_refuse(text, must, "declare it with as many dimensions", TRIDAP_NO_HANDLE, NULL, 0, NULL);
  }
  if (type_of(p) != memory.type) {
    snprintf(text, sizeof text, "the pointer is %s, but the array has %s", name_of(type_of(p)), name_of(memory.type));
    return tridap_refuse(text, "must be the same kind", "declare the pointer of the array's kind", TRIDAP_NO_HANDLE,
                         NULL, 0, NULL);
  }
  CFI_CDESC_T(CFI_MAX_RANK) all;
  CFI_cdesc_t* const from = (CFI_cdesc_t*)&all;
  CFI_index_t extents[CFI_MAX_RANK], ones[CFI_MAX_RANK];
  for (int i = 0; i < memory.ndim; ++i) {
    extents[i] = memory.extents[i];
    ones[i] = 1;
  }
  void* const data = memory.data != NULL ? memory.data : nowhere; /* a part without elements is associated, too */
  if (CFI_establish(from, data, CFI_attribute_other, p->type, p->elem_len, p->rank, extents) == CFI_SUCCESS) {
    for (int i = 0; i < memory.ndim; ++i) from->dim[i].sm = memory.strides[i];
    if (CFI_setpointer(p, from, ones) == CFI_SUCCESS) return TRIDAP_OK;
  }
  return tridap_refuse("the pointer cannot be associated", "must be a pointer of Fortran", "report this",
                       TRIDAP_NO_HANDLE, NULL, 0, NULL);
}

int tridap_fortran_ndim(tridap_array array, int* ndim) {
  tridap_memory memory;
  const int status = tridap_array_memory(array, &memory);
  if (status == TRIDAP_OK) *ndim = memory.ndim;
  return status;
}

/* The bytes of a real of the array, 4 or 8; 0: it has no reals or complex numbers. */
int tridap_fortran_real_kind(tridap_array array) {
  tridap_memory memory;
  if (tridap_array_memory(array, &memory) != TRIDAP_OK) return 0;
  if (memory.type == TRIDAP_FLOAT32 || memory.type == TRIDAP_COMPLEX64) return 4;
  return memory.type == TRIDAP_FLOAT64 || memory.type == TRIDAP_COMPLEX128 ? 8 : 0;
}

void* tridap_fortran_address(tridap_array array, int* status) {
  tridap_memory memory;
  *status = tridap_array_memory(array, &memory);
  return *status == TRIDAP_OK ? memory.data : NULL;
}

/* ---- Distributions ---- */

static int lacks(list of, int64_t ndim, const char* name, MPI_Comm comm, tridap_distribution* layout, int* status) {
  char value[120], must[80];
  if (of.count < 0 || of.count == ndim) return 0;
  snprintf(value, sizeof value, "%s has %lld elements", name, (long long)of.count);
  snprintf(must, sizeof must, "must have %lld, one for each dimension", (long long)ndim);
  *status = tridap_refuse(value, must, "pass a list as long as the shape", TRIDAP_DISTRIBUTION_HANDLE, &comm, 0,
                          &layout->number);
  return 1;
}

int tridap_fortran_distribute(list shape, const char* dist, MPI_Fint comm, list grid, int64_t padding, list paddings,
                              list periodic, int inner_only, tridap_distribution* layout) {
  const MPI_Comm over = MPI_Comm_f2c(comm);
  int status = TRIDAP_OK;
  int32_t flags[CFI_MAX_RANK];
  if (lacks(grid, shape.count, "grid", over, layout, &status) ||
      lacks(paddings, shape.count, "paddings", over, layout, &status) ||
      lacks(periodic, shape.count, "periodic", over, layout, &status))
    return status;
  tridap_distribute_options options;
  memset(&options, 0, sizeof options);
  if (grid.count > 0) options.grid = grid.data;
  options.padding = padding;
  if (paddings.count > 0) options.paddings = paddings.data;
  for (int64_t i = 0; i < periodic.count && i < CFI_MAX_RANK; ++i) flags[i] = periodic.data[i] != 0;
  if (periodic.count > 0 && periodic.count <= CFI_MAX_RANK) options.periodic = flags;
  options.inner_only = inner_only;
  return tridap_distribute((int)shape.count, shape.data, dist, over, &options, layout);
}

int tridap_fortran_of_lists(list indices, MPI_Fint comm, tridap_distribution* layout) {
  return tridap_distribution_of_lists(indices.count, indices.data, MPI_Comm_f2c(comm), layout);
}

int tridap_fortran_of_desc(const int* desc, int nprow, int npcol, int by_columns, MPI_Fint comm,
                           tridap_distribution* layout) {
  return tridap_distribution_of_desc(desc, nprow, npcol, by_columns ? TRIDAP_COLUMN_MAJOR : TRIDAP_ROW_MAJOR,
                                     MPI_Comm_f2c(comm), layout);
}

int tridap_fortran_of_cart(list shape, int64_t width, MPI_Fint cart, tridap_distribution* layout) {
  return tridap_distribution_of_cart((int)shape.count, shape.data, width, MPI_Comm_f2c(cart), layout);
}

int tridap_fortran_of_hpf(list shape, const char* distribute, list grid, MPI_Fint comm, tridap_distribution* layout) {
  const MPI_Comm over = MPI_Comm_f2c(comm);
  int status = TRIDAP_OK;
  if (lacks(grid, shape.count, "grid", over, layout, &status)) return status;
  return tridap_distribution_of_hpf((int)shape.count, shape.data, distribute, grid.count > 0 ? grid.data : NULL, over,
                                    layout);
}

int tridap_fortran_of_chapel(list shape, const char* dist, int64_t fluff, MPI_Fint comm, tridap_distribution* layout) {
  return tridap_distribution_of_chapel((int)shape.count, shape.data, dist, fluff, MPI_Comm_f2c(comm), layout);
}

/* Questions whose answer is a list, or a text. The numbers are those of module tridap_c. */

enum { shape_of = 0, grid_of = 1, coordinates_of = 2, local_shape_of = 3 };

int tridap_fortran_list(int which, tridap_distribution layout, int64_t process, int64_t* answer) {
  switch (which) {
    case shape_of:
      return tridap_shape(layout, answer);
    case grid_of:
      return tridap_grid(layout, answer);
    case coordinates_of:
      return tridap_coordinates(layout, process, answer);
    default:
      return tridap_local_shape(layout, process, answer);
  }
}

enum { dist_text_of = 0, description_of = 1, dim_data_of = 2, explanation_of = 3 };

int tridap_fortran_text(int which, uint64_t number, int64_t process, char* text, size_t size, size_t* length) {
  const tridap_distribution layout = {number};
  const tridap_plan plan = {number};
  switch (which) {
    case dist_text_of:
      return tridap_dist_text(layout, text, size, length);
    case description_of:
      return tridap_describe(layout, text, size, length);
    case dim_data_of:
      return tridap_dim_data_text(layout, process, text, size, length);
    default:
      return tridap_plan_explain(plan, text, size, length);
  }
}

int tridap_fortran_of_dim_data(const char* dim_data, MPI_Fint comm, tridap_distribution* layout) {
  return tridap_distribution_of_dim_data_text(dim_data, MPI_Comm_f2c(comm), layout);
}

/* ---- Arrays of other libraries, checks ---- */

int tridap_fortran_from_dap(dap_array* dap, MPI_Fint comm, tridap_array* array) {
  return tridap_array_from_dap(dap, MPI_Comm_f2c(comm), array);
}

void tridap_fortran_dap_release(dap_array* dap) { dap_array_release(dap); }

int tridap_fortran_check(const dap_array* dap, MPI_Fint comm, int64_t* errors) {
  return tridap_check(dap, MPI_Comm_f2c(comm), errors, NULL, 0, NULL);
}

int tridap_fortran_watch(double seconds, MPI_Fint comm) { return tridap_watch(seconds, MPI_Comm_f2c(comm)); }

/* ---- Procedures of the program ---- */

/* Type program_procedure of module tridap_c_solvers. */
typedef struct program_procedure {
  void (*address)(void);
  int64_t count;
  struct program_procedure* next;
} program_procedure;

/* A procedure with the number of its elements, which C gets as the user's data, and which lives until the program ends:
 * equal ones are one. NULL: memory has run out. */
void* tridap_fortran_procedure(void (*address)(void), int64_t count) {
  static _Atomic(program_procedure*) first = NULL;
  program_procedure* head = first;
  for (program_procedure* at = head; at != NULL; at = at->next)
    if (at->address == address && at->count == count) return at;
  program_procedure* const made = malloc(sizeof *made);
  if (made == NULL) return NULL;
  made->address = address;
  made->count = count;
  made->next = head;
  while (!atomic_compare_exchange_weak(&first, &made->next, made)) continue;
  return made;
}
