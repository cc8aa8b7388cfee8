/// What the interface of another language needs to fail as tridap/tridap.h does. Programs do not need it.

#ifndef TRIDAP_INTERFACE_H
#define TRIDAP_INTERFACE_H

#include <tridap/tridap.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The types of handles.
typedef enum tridap_handle_type {
  TRIDAP_NO_HANDLE = 0,
  TRIDAP_DISTRIBUTION_HANDLE = 1,
  TRIDAP_ARRAY_HANDLE = 2,
  TRIDAP_PLAN_HANDLE = 3,
  TRIDAP_PADDING_HANDLE = 4,
  TRIDAP_GHOSTS_HANDLE = 5,
  TRIDAP_MATRIX_HANDLE = 6,
  TRIDAP_PRECONDITIONER_HANDLE = 7
} tridap_handle_type;

/// A failure of this thread, found before a function of tridap/tridap.h is called: `value` must be `must`; `remedy` is
/// what to do. Returns TRIDAP_WRONG, and tridap_message() is its text. If `number` is not NULL, it becomes that of a
/// handle of type `type` that stands for the failure: the collective function that gets it fails on all processes. Its
/// communicator is `*comm`; if `comm` is NULL, that of the handle `of`. Local.
int tridap_refuse(const char* value, const char* must, const char* remedy, tridap_handle_type type,
                  const MPI_Comm* comm, uint64_t of, uint64_t* number);

/// The rank of this process in the communicator of a handle; -1: there is no such handle. Local.
int tridap_rank_of(uint64_t number);

/// Who says the last failure of this thread, if the job ends for it. A collective call fails on all processes of its
/// communicator: then it is the lowest process that a fault names, or rank 0.
typedef enum tridap_speaker {
  TRIDAP_SAYS_ALONE = 0,    ///< this process: no other is known to have failed
  TRIDAP_SAYS_FOR_ALL = 1,  ///< this one of all that have failed
  TRIDAP_ANOTHER_SAYS = 2   ///< another one
} tridap_speaker;
tridap_speaker tridap_who_says(void);

/// Gives a line to the sink of dap_set_message_sink(). Local.
void tridap_say_line(const char* line);

/// tridap_message() in the words of Fortran, in which dimensions count from 1. It is valid until the next call of this
/// function by this thread.
const char* tridap_message_in_fortran(void);
/// The text of the last tridap_check() or tridap_check_capture() of this thread, in the same words, and as long valid.
const char* tridap_checked_in_fortran(void);

/// As tridap_owner(), tridap_local_index() and tridap_global_index(), for `count` indices that begin at 1, and give
/// such.
int tridap_owner_from_1(tridap_distribution distribution, int64_t count, const int64_t* global, int64_t* process);
int tridap_local_index_from_1(tridap_distribution distribution, int64_t process, int64_t count, const int64_t* global,
                              tridap_part part, int64_t* local, int* held);
int tridap_global_index_from_1(tridap_distribution distribution, int64_t process, int64_t count, const int64_t* local,
                               int64_t* global);

#ifdef __cplusplus
}
#endif

#endif
