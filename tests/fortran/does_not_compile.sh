#!/bin/bash
# does_not_compile.sh COMPILER FLAG...: what is wrong in a program of this module does not compile, and the same program
# without it does.
compile=("$@")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

program() {  # LINE
  cat >program.f90 <<CODE
subroutine program(field, layout, u, plan, a, x)
  use mpi_f08
  use tridap
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
  real(8), intent(inout), target :: field(:, :)
  type(tridap_distribution), intent(inout) :: layout
  type(tridap_array), intent(inout) :: u
  type(tridap_plan), intent(inout) :: plan
  type(tridap_matrix), intent(inout) :: a
  real(8), pointer, intent(inout) :: x(:, :)
  real(8) :: s
  real(4) :: values(9)
  integer(8) :: object, errors
  type(c_ptr) :: dap
  $1
end subroutine
CODE
}

compiles() { program "$1" && "${compile[@]}" -fsyntax-only program.f90 >log 2>&1 || { echo "does not compile: $1"; cat log; exit 1; }; }
refused() { program "$1"; ! "${compile[@]}" -fsyntax-only program.f90 >log 2>&1 || { echo "compiles: $1"; exit 1; }; }

compiles "u = tridap_array_of(field, layout)"
compiles "u = tridap_array_of(field(1:8:2, :), layout)"
refused "u = tridap_array_of(field + 1, layout)"        # a copy
refused "u = tridap_array_of(field([1, 3], :), layout)"
refused "u = tridap_array_of(layout, field)"            # the order
refused "u = tridap_array_of(u, layout)"                # a handle where memory is meant
refused "u = tridap_array_of(field, u)"                 # a handle of another type
refused "layout = tridap_array_of(field, layout)"
compiles "layout = tridap_distribute([8, 9], 'b,b', MPI_COMM_WORLD, padding=1)"
refused "layout = tridap_distribute([8.0, 9.0], 'b,b', MPI_COMM_WORLD)"
refused "layout = tridap_distribute('b,b', [8, 9], MPI_COMM_WORLD)"
refused "layout = tridap_distribute([8, 9], 'b,b', MPI_REAL)"
refused "layout = tridap_distribute([8, 9], 'b,b', MPI_COMM_WORLD, padding=.true.)"
compiles "call tridap_update_padding([u, u])"
refused "call tridap_update_padding(layout)"
compiles "call tridap_sum(u, s)"
refused "call tridap_sum(s, u)"
refused "call tridap_sum(u, 1.0d0)"                     # no variable
compiles "call u%pointer(x)"
refused "call u%pointer(field)"
compiles "plan = tridap_plan_make(layout, layout, tridap_real8)"
refused "plan = tridap_plan_make(layout, layout, 8)"
compiles "call plan%move(u, u, tridap_scaling(2.0d0, 1.0d0))"
refused "call plan%move(u, u, 2.0d0)"
refused "call plan%move(plan, u)"
compiles "call tridap_solve(a, u, u, copy='if_needed')"
refused "call tridap_solve(u, a, u)"
refused "call tridap_solve(a, u, u, 1d-8)"
refused "u%number = 0"
compiles "call tridap_eigh(u, values, u)
  call tridap_svd(u, u, values, u)
  u = tridap_array_of_vec(object, MPI_COMM_WORLD, dm=object)
  object = tridap_vec_of_array(u, copy='if_needed')
  u = tridap_ga_create(layout, tridap_real8, object)
  u = tridap_array_of_ga(object, MPI_COMM_WORLD)
  dap = tridap_array_to_dap(u)
  call tridap_check(dap, MPI_COMM_WORLD, errors)
  layout = tridap_distribution_of_dim_data('[]', MPI_COMM_WORLD)"
refused "call tridap_eigh(u, field, u)"                 # one value for each column
refused "call tridap_eigh(values, u, u)"
refused "u = tridap_array_of_vec(u, MPI_COMM_WORLD)"    # a handle of TriDAP where one of PETSc is meant
refused "u = tridap_array_of_vec(MPI_COMM_WORLD, object)"
refused "u = tridap_vec_of_array(u)"
refused "u = tridap_ga_create(layout, 8, object)"
refused "u = tridap_array_of_ga(object, object, object)"
refused "call tridap_check(u, MPI_COMM_WORLD, errors)"  # what a handle stands for has been checked
refused "call tridap_check(dap, errors, MPI_COMM_WORLD)"
refused "layout = tridap_distribution_of_dim_data(MPI_COMM_WORLD, '[]')"
