program start
  use mpi_f08
  use tridap
  implicit none
  call MPI_Init()
  call columns_to_rows()
  call MPI_Finalize()

contains

  subroutine columns_to_rows()
    type(tridap_distribution) :: columns, rows
    type(tridap_array) :: x, y
    real(8), allocatable, target :: mine(:, :)
    real(8), pointer :: here(:, :)
    real(8) :: total
    integer :: n(2), rank

    ! 4 x 6 elements. Dimension 1 is not distributed (*). Dimension 2 is in blocks (b) over all processes.
    columns = tridap_distribute([4, 6], '*,b', MPI_COMM_WORLD)

    ! Your memory, and the whole array over it.
    n = int(columns%local_shape())
    allocate(mine(n(1), n(2)), source=2.0d0)
    x = tridap_array_of(mine, columns)
    call tridap_sum(x, total)  ! collective: the same on every process

    ! A new array, whose dimension 1 is in blocks.
    rows = tridap_distribute([4, 6], 'b,*', MPI_COMM_WORLD)
    y = tridap_redistribute(x, rows)
    call y%pointer(here)  ! its memory

    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) then
      print '(a,f0.1)', 'the sum of all elements is ', total
      print '(a,i0,a,i0,a,i0,a,i0,a)', 'elements here: ', n(1), ' x ', n(2), ' before, ', &
          size(here, 1), ' x ', size(here, 2), ' after'
    end if
    call x%release()  ! before `mine` is freed
    call y%release()
  end subroutine
end program
