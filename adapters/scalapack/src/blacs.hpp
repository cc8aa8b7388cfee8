#pragma once

#include <mpi.h>

// The C interface of the BLACS, of which ScaLAPACK installs no header. It is the same in all versions.
extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_pinfo(int* number, int* processes);
void Cblacs_gridmap(int* context, int* ranks, int leading_dimension, int nprow, int npcol);
void Cblacs_gridinfo(int context, int* nprow, int* npcol, int* myrow, int* mycol);
void Cblacs_gridexit(int context);
}
