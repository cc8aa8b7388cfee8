! What bench_c.cpp calls: the same moves and questions as it makes in C++, through the module tridap.
module fortran_calls
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: MPI_COMM_WORLD
  use tridap
  implicit none
  private
  public :: fortran_begin, fortran_move, fortran_owner, fortran_count, fortran_end

  type(tridap_distribution) :: from, to
  type(tridap_array) :: in, out
  type(tridap_plan) :: plan
  integer(int64) :: place(2) = [801_int64, 701_int64]  ! the element (700, 800) of C

contains

  ! `source` and `target` are memory of C: rows, and columns, of n x n elements in row-major order.
  subroutine fortran_begin(n, processes, source, target) bind(c)
    integer(c_int64_t), value :: n
    integer(c_int), value :: processes
    type(c_ptr), value :: source, target
    real(c_double), pointer :: rows(:, :), columns(:, :)
    integer(int64), allocatable :: extents(:)
    from = tridap_distribute([n, n], '*,b', MPI_COMM_WORLD, grid=[1, processes])
    to = tridap_distribute([n, n], 'b,*', MPI_COMM_WORLD, grid=[processes, 1])
    extents = from%local_shape()
    call c_f_pointer(source, rows, extents)
    extents = to%local_shape()
    call c_f_pointer(target, columns, extents)
    in = tridap_array_of(rows, from)
    out = tridap_array_of(columns, to)
    plan = tridap_plan_make(from, to, tridap_real8)
  end subroutine

  subroutine fortran_move() bind(c)
    call plan%move(in, out)
  end subroutine

  integer(c_int64_t) function fortran_owner() bind(c)
    fortran_owner = from%owner(place)
  end function

  integer(c_int64_t) function fortran_count() bind(c)
    fortran_count = from%count(tridap_owned, 0)
  end function

  subroutine fortran_end() bind(c)
    call in%release()
    call out%release()
    call plan%release()
    call from%release()
    call to%release()
  end subroutine

end module
