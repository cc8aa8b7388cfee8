!> What the tests in Fortran share: they count what does not hold, and fail at the end on all processes.
module testing
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: begin_tests, end_tests, holds, says, rank, processes

  integer :: rank = 0, processes = 1, faults = 0

contains

  subroutine begin_tests()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, processes)
  end subroutine

  subroutine holds(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    faults = faults + 1
    if (faults < 20) write (error_unit, '(a,i0,2a)') 'rank ', rank, ': does not hold: ', what
  end subroutine

  !> A call has failed with a text that contains `part`.
  subroutine says(stat, text, part)
    integer, intent(in) :: stat
    character(*), intent(in) :: text, part
    call holds(stat /= 0, 'fails with: '//part)
    call holds(index(text, part) > 0, "says '"//part//"', but: "//trim(text))
  end subroutine

  subroutine end_tests()
    integer :: all
    call MPI_Allreduce(faults, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (all > 0 .and. rank == 0) write (error_unit, '(i0,a)') all, ' facts do not hold'
    if (all > 0) call MPI_Abort(MPI_COMM_WORLD, 1)
    call MPI_Finalize()
  end subroutine
end module
