!> A failure without `stat` ends the job, and one process says why. The argument says which failure.
program stop_test
  use mpi_f08
  use tridap
  implicit none
  character(20) :: which
  integer :: rank, processes
  call get_command_argument(1, which)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, processes)
  call failing()
  call MPI_Finalize()

contains

  subroutine failing()
    type(tridap_distribution) :: layout
    type(tridap_array) :: u
    real(8), target :: a(4)
    a = 0
    layout = tridap_distribute([4*processes], 'b', MPI_COMM_WORLD)
    if (which == 'all_locally') u = tridap_array_of(a(1:2), layout)
    u = tridap_array_of(a, layout)
    if (which == 'one_locally' .and. rank == processes - 1) u = tridap_array_of(a(1:2), layout)
    if (which == 'together' .and. rank == processes - 1) call u%release()
    call tridap_update_padding(u)
  end subroutine
end program
