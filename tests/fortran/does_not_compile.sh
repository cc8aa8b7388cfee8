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
  implicit none
  real(8), intent(inout), target :: field(:, :)
  type(tridap_distribution), intent(inout) :: layout
  type(tridap_array), intent(inout) :: u
  type(tridap_plan), intent(inout) :: plan
  type(tridap_matrix), intent(inout) :: a
  real(8), pointer, intent(inout) :: x(:, :)
  real(8) :: s
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
