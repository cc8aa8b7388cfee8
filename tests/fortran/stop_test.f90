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
    type(MPI_Comm) :: comm
    real(8), target :: a(4)
    integer :: stat
    logical :: last
    a = 0
    if (which == 'silent') call tridap_print_messages(.false.)
    comm = MPI_COMM_WORLD
    if (which == 'together_in_part') call MPI_Comm_split(MPI_COMM_WORLD, merge(0, 1, rank == 0), 0, comm)
    if (which == 'together_in_part' .and. rank == 0) call MPI_Barrier(MPI_COMM_WORLD)  ! which the others never reach
    call MPI_Comm_size(comm, processes)
    last = rank == 3  ! of both communicators
    layout = tridap_distribute([4*processes], 'b', comm)
    if (which == 'all_locally' .or. which == 'silent') u = tridap_array_of(a(1:2), layout)
    u = tridap_array_of(a, layout)
    if (which == 'one_locally' .and. last) u = tridap_array_of(a(1:2), layout)
    ! The last process has no array any more, and the call fails on all.
    if (which(1:8) == 'together' .and. last) call u%release()
    if (which == 'named_goes_on' .and. last) then
      call u%release()
      call tridap_update_padding(u, stat)
      if (stat /= 0) call MPI_Barrier(comm)  ! it has seen the failure, and goes on
    end if
    call tridap_update_padding(u)
  end subroutine
end program
