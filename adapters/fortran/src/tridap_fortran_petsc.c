/* The functions of PETSc's objects: in Fortran they are integers, the addresses of those of C. */
#include <tridap/interface.h>

/* PETSc sets those that were not made, or were destroyed, to -2. */
static void* object_of(int64_t address) { return address == -2 ? NULL : (void*)(intptr_t)address; }

static int refuse_dm(tridap_handle_type type, const MPI_Comm* comm, uint64_t of, uint64_t* number) {
  return tridap_refuse("dm is NULL", "must be an object of PETSc", "make it first, or leave the argument out", type,
                       comm, of, number);
}

int tridap_fortran_array_of_vec(int64_t vec, int has_dm, int64_t dm, MPI_Fint comm, int read_only, tridap_array* array,
                                int64_t shift[4]) {
  const MPI_Comm over = MPI_Comm_f2c(comm);
  if (has_dm && object_of(dm) == NULL) return refuse_dm(TRIDAP_ARRAY_HANDLE, &over, 0, &array->number);
  return tridap_array_of_vec(object_of(vec), object_of(dm), over, read_only, array, shift);
}

int tridap_fortran_vec_of_array(tridap_array array, int has_dm, int64_t dm, int copy, int64_t* vec,
                                tridap_receipt* receipt) {
  void* made = NULL;
  tridap_array given = array;
  const int wrong = has_dm && object_of(dm) == NULL;
  if (wrong) refuse_dm(TRIDAP_ARRAY_HANDLE, NULL, array.number, &given.number);
  const int status = tridap_vec_of_array(given, object_of(dm), (tridap_copy)copy, &made, receipt);
  if (wrong) tridap_release(given.number);
  *vec = (int64_t)(intptr_t)made;
  return status;
}

int tridap_fortran_of_dmda(int64_t dm, int ghosts, MPI_Fint comm, tridap_distribution* layout) {
  return tridap_distribution_of_dmda(object_of(dm), ghosts, MPI_Comm_f2c(comm), layout);
}

int tridap_fortran_dmda_of(tridap_distribution layout, const tridap_dmda_options* options, int64_t* dm) {
  void* made = NULL;
  const int status = tridap_dmda_of(layout, options, &made);
  *dm = (int64_t)(intptr_t)made;
  return status;
}

int tridap_fortran_ghosts_of_vec(int64_t vec, MPI_Fint comm, tridap_ghosts* ghosts) {
  return tridap_ghosts_of_vec(object_of(vec), MPI_Comm_f2c(comm), ghosts);
}

int tridap_fortran_vec_of_ghosts(tridap_ghosts ghosts, int64_t* vec, tridap_receipt* receipt) {
  void* made = NULL;
  const int status = tridap_vec_of_ghosts(ghosts, &made, receipt);
  *vec = (int64_t)(intptr_t)made;
  return status;
}

int tridap_fortran_mat_of_csr(tridap_distribution rows, const tridap_csr* csr, int64_t* mat, tridap_receipt* receipt) {
  void* made = NULL;
  const int status = tridap_mat_of_csr(rows, csr, &made, receipt);
  *mat = (int64_t)(intptr_t)made;
  return status;
}

/* c_rows of the module. */
typedef struct fortran_rows {
  int64_t rows, entries;
  const void *values, *columns, *row_starts;
} fortran_rows;

int tridap_fortran_csr_of_mat(int64_t mat, MPI_Fint comm, tridap_distribution* rows, fortran_rows* to) {
  tridap_csr csr;
  const int status = tridap_csr_of_mat(object_of(mat), MPI_Comm_f2c(comm), rows, &csr);
  if (status != TRIDAP_OK) return status;
  to->rows = csr.row_count;
  to->entries = csr.entry_count;
  to->values = csr.values;
  to->columns = csr.columns;
  to->row_starts = csr.row_starts;
  return status;
}
