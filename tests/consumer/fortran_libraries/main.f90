!> A program of another project, with Global Arrays and PETSc. It does not initialise PETSc, and is told so.
program consumer
  use mpi_f08
  use tridap
  implicit none
  type(tridap_distribution) :: layout
  type(tridap_array) :: u
  integer(8) :: handle, dm
  integer :: rank, stat
  real(8), pointer :: p(:, :)
  real(8) :: total
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call tridap_ga_begin(1024)
  layout = tridap_distribute([10, 6], 'b,*', MPI_COMM_WORLD)
  u = tridap_ga_create(layout, tridap_real8, handle)
  call u%pointer(p)
  p = 25
  call tridap_sum(u, total)
  dm = tridap_dmda_of(layout, stat=stat)
  if (rank == 0) print '(a, f0.1, 3a)', 'the sum is ', total, ', and ', tridap_message()
  call u%release()
  call layout%release()
  call tridap_ga_end()
  call MPI_Finalize()
  if (stat == 0 .or. dm /= 0) error stop
end program
